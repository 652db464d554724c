package pgtest

import "syscall"

// attributes make a program run as the account, in a group of its own, so that a
// Ctrl-C reaches this process alone.
func (a account) attributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if a.other {
		attributes.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)} //nolint:gosec // ids of the system's own
	}
	return attributes
}
