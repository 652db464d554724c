//go:build !unix

package child

import "syscall"

// setApart does nothing on a system without process groups.
func setApart(*syscall.SysProcAttr, syscall.Signal) {}

func (p *Process) signalGroup(s syscall.Signal) error { return p.signalAlone(s) }
