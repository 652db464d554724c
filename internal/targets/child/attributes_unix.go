//go:build unix && !linux

package child

import "syscall"

// setApart makes a group of the child. No system but Linux can tell it that this
// process has ended.
func setApart(a *syscall.SysProcAttr, _ syscall.Signal) { a.Setpgid = true }
