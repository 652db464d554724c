//go:build !linux

package pgtest

import "syscall"

// childAttributes are nothing special elsewhere: there root cannot run a
// server.
func (account) childAttributes() *syscall.SysProcAttr { return nil }

// dieWithParent is known to Linux alone.
func dieWithParent(*syscall.SysProcAttr) {}
