//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package devserver

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a lock for this process and every child that inherits the
// file, or fails at once with errInUse.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errInUse
		}
		return nil, err
	}
	return f, nil
}
