package gitpages

import (
	"errors"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// unreadable is the fault for a remote that could not be read, after which
// nothing was written.
func (m *remoteRefs) unreadable(err error) error {
	if failed, ok := errors.AsType[*gitcli.Error](err); ok {
		return m.address.Unread(m.who(), failed)
	}
	return err
}

// meansRace reports a fetch that another process with the same cache, or a ref
// that went away at the remote, got in the way of.
func meansRace(err error) bool {
	failed, ok := errors.AsType[*gitcli.Error](err)
	return ok && hasOneOf(failed.Stderr, []string{"cannot lock ref", "unable to update local ref", "couldn't find remote ref"})
}
