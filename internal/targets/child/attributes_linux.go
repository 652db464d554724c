package child

import "syscall"

// attributes make a group of the child, which dies with this process however
// this process ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
