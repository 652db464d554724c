//go:build unix && !linux

package child

import "syscall"

// attributes make a group of the child. No system but Linux can let it die
// with this process.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
