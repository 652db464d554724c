package devserver

import "syscall"

// childAttributes put a child into a group of its own and let it die with this
// process, however this process ends.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
