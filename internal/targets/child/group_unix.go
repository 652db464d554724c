//go:build unix

package child

import (
	"errors"
	"syscall"
)

// signalGroup reaches the whole group; one that is gone has had it.
func (p *Process) signalGroup(s syscall.Signal) error {
	err := syscall.Kill(-p.child.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
