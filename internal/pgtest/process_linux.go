package pgtest

import "syscall"

// childAttributes make a child run as the account, in a group of its own, so
// that a Ctrl-C reaches this process alone.
func (a account) childAttributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if a.other {
		attributes.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)} //nolint:gosec // ids of the system's own
	}
	return attributes
}

// dieWithParent makes a server shut down at once when this process ends
// without stopping it.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = immediate }
