//go:build !unix

package devserver

import "syscall"

// childAttributes are nothing special where there are no process groups.
func childAttributes() *syscall.SysProcAttr { return nil }
