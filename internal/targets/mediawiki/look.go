package mediawiki

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrNoMediaWiki says that this machine lacks PHP or MediaWiki.
var ErrNoMediaWiki = errors.New("no MediaWiki on this machine; on Debian: " +
	"apt-get install --no-install-recommends php-cgi mini-httpd php-cli php-sqlite3 mediawiki")

// codeDir is where Debian's package puts MediaWiki's code.
const codeDir = "/usr/share/mediawiki"

// installation is what a wiki is made of: it is only read.
type installation struct {
	php  string // the command-line PHP
	code string // the folder of api.php
}

func look() (installation, error) {
	php, err := exec.LookPath("php")
	if err != nil {
		return installation{}, fmt.Errorf("%w: %w", ErrNoMediaWiki, err)
	}
	if _, err := os.Stat(filepath.Join(codeDir, "api.php")); err != nil {
		return installation{}, fmt.Errorf("%w: %w", ErrNoMediaWiki, err)
	}
	return installation{php: php, code: codeDir}, nil
}
