//go:build !linux

package pgtest

import "syscall"

// attributes are nothing special elsewhere: there root cannot run a server.
func (account) attributes() *syscall.SysProcAttr { return nil }
