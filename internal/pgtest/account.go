package pgtest

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
)

// account is whom the server's programs run as. PostgreSQL refuses to run as
// root, so root runs them as the user postgres.
type account struct {
	uid, gid int
	other    bool // not the account of this process
}

func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	postgres, err := user.Lookup("postgres")
	if err != nil {
		return account{}, fmt.Errorf("PostgreSQL does not run as root: %w", err)
	}
	uid, err := strconv.Atoi(postgres.Uid)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.Atoi(postgres.Gid)
	if err != nil {
		return account{}, err
	}
	return account{uid: uid, gid: gid, other: true}, nil
}

// give makes the account the owner of a file or folder.
func (a account) give(path string) error {
	if !a.other {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}
