//go:build unix && !linux

package devserver

import "syscall"

// childAttributes put a child into a group of its own. No system but Linux can
// let it die with this process when this process is killed.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
