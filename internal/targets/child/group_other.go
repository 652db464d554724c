//go:build !unix

package child

import (
	"errors"
	"os"
	"syscall"
)

// attributes are nothing special on a system without process groups.
func attributes() *syscall.SysProcAttr { return nil }

func (p *Process) signal(s syscall.Signal) error {
	if err := p.child.Signal(s); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
