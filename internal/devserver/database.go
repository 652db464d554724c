package devserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// errInUse says that another development server runs on the same database.
var errInUse = errors.New("in use by another development server")

// database is the server's SQLite file, if it has one. Two servers on one file
// would each believe that they own every workflow in it, so a lock is taken
// beside it. The server process holds the lock too: it stays taken for as long
// as the server lives, even when its parent was killed.
type database struct {
	file string   // empty: in memory
	lock *os.File // nil: not taken, or no such thing on this system
}

// acquire takes the lock, unless it is taken by us already.
func (d *database) acquire() error {
	if d.file == "" || d.lock != nil {
		return nil
	}
	lock, err := lockFile(d.file + ".lock")
	if err != nil {
		return fmt.Errorf("database %s: %w", d.file, err)
	}
	d.lock = lock
	return nil
}

// release gives the lock back, as far as this process is concerned.
func (d *database) release() {
	if d.lock != nil {
		d.lock.Close()
		d.lock = nil
	}
}

// held is what a server process must hold open.
func (d *database) held() []*os.File {
	if d.lock == nil {
		return nil
	}
	return []*os.File{d.lock}
}

func (d *database) exists() bool {
	_, err := os.Stat(d.file)
	return d.file != "" && !errors.Is(err, fs.ErrNotExist)
}

// discard removes a file that a server made and died over. The server takes
// any file that exists for a complete one, so half a schema would stop every
// later start.
func (d *database) discard() error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(d.file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
