package mediawiki

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// settings follow those that MediaWiki's installer writes.
const settings = `
# Anybody may edit, also without an account: a write needs the token +\ alone.
$wgGroupPermissions['*']['edit'] = true;
$wgGroupPermissions['*']['createpage'] = true;
$wgRateLimits = [];
# Whatever cannot be saved as it was sent is refused.
$wgDiff3 = %q;
# Nothing but the requests themselves uses time.
$wgJobRunRate = 0;
$wgEnableEmail = false;
$wgCacheDirectory = %q;
`

// install makes the wiki's database and settings, which serve it at url.
func (s *Server) install(ctx context.Context, url string, options Options) error {
	for _, folder := range []string{"data", "cache", "settings"} {
		if err := os.Mkdir(filepath.Join(s.dir, folder), 0o700); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, s.installation.php, filepath.Join(s.installation.code, "maintenance", "install.php"),
		"--server="+url, "--scriptpath=", "--dbtype=sqlite", "--dbname=wiki", "--dbpath="+filepath.Join(s.dir, "data"),
		"--confpath="+filepath.Join(s.dir, "settings"), "--pass="+rand.Text(), "--skins=", "Wiki", "Admin")
	cmd.Env = s.environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("install MediaWiki: %w: %s", err, lastLines(string(out)))
	}
	file, err := os.OpenFile(s.settings(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	diff3 := ""
	if options.Merge {
		diff3 = "/usr/bin/diff3"
	}
	_, err = fmt.Fprintf(file, settings, diff3, filepath.Join(s.dir, "cache"))
	return err
}

func (s *Server) settings() string { return filepath.Join(s.dir, "settings", "LocalSettings.php") }

// environment holds nothing of this process: PHP shows it on some pages.
func (s *Server) environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(s.dir, "cache")}
}

// lastLines are the end of what a program printed, where the reason is.
func lastLines(s string) string {
	const most = 2000 // bytes
	s = strings.TrimSpace(s)
	return strings.ToValidUTF8(s[max(0, len(s)-most):], "")
}
