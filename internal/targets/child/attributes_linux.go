package child

import "syscall"

// setApart makes a group of the child, which gets the signal when this process
// ends, however it ends.
func setApart(a *syscall.SysProcAttr, orphaned syscall.Signal) {
	a.Setpgid, a.Pdeathsig = true, orphaned
}
