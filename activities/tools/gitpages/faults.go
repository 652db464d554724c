package gitpages

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The codes of this tool's faults.
const (
	codeParameters  = "parameters"   // not the parameters of the schema
	codePagePath    = "page_path"    // a path that no page may have
	codePageLink    = "page_link"    // a link or submodule on the way to the page
	codePagePlace   = "page_place"   // a file where a folder is needed, or the reverse
	codePageCase    = "page_case"    // differs from an existing name only in case
	codePageChanged = "page_changed" // drift; wraps tools.ErrDrift
	codeContent     = "content"      // content that no page may have
	codeTarget      = "target"       // not a target of this tool
	codeKey         = "key"          // not an idempotency key
	codeKeyConflict = "key_conflict" // the key has written something else
	codeRepository  = "repository"   // a repository that cannot be used as it is
	codeReadOnly    = "read_only"    // the file system does not let Git write
	codeRefsLocked  = "refs_locked"  // another git process holds, or left, a lock
	codeRefsUnknown = "refs_unknown" // the transaction's outcome could not be read
	codePushRefused = "push_refused" // the remote surely did not take the push
	codePushUnknown = "push_unknown" // a push without an answer
	codeGitMissing  = "git_missing"  // no git program
	codeGitVersion  = "git_version"  // a git program that is too old
	codeGitFailed   = "git_failed"   // git said no, in its own words
	codeInterrupted = faults.CodeInterrupted

	codeRemoteUnreachable = "remote_unreachable" // no connection, or one that broke while it was read
	codeRemoteDenied      = "remote_denied"      // credentials, permissions, certificates
	codeRemoteMissing     = "remote_missing"     // no repository at that address
	codeRemoteNotAtomic   = "remote_not_atomic"  // a server that cannot move two refs together
	codeRemoteMoving      = "remote_moving"      // refs that never stood still
)

func permanent(code, format string, args ...any) *faults.Fault {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: fmt.Sprintf(format, args...)}
}

func transient(code string, cause error, format string, args ...any) *faults.Fault {
	return &faults.Fault{Class: faults.Transient, Code: code, Reason: fmt.Sprintf(format, args...), Cause: cause}
}

// asFault classes whatever a step before the ref transaction met: nothing has
// been written then, so everything that is not surely permanent may be tried
// again. What the transaction itself meets is judged by reading the refs.
func asFault(err error) *faults.Fault {
	if fault, ok := errors.AsType[*faults.Fault](err); ok {
		return fault
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return transient(codeInterrupted, err, "stopped before anything was written")
	}
	var failed *gitError
	if errors.As(err, &failed) && failed.refusesWriting() {
		return &faults.Fault{Class: faults.Permanent, Code: codeReadOnly, Reason: failed.Error(), Cause: err}
	}
	return transient(codeGitFailed, err, "%s", clip(err.Error()))
}

// quote shows a text that came from outside: on one line, with nothing in it
// that a terminal would hide or obey, and not long.
func quote(text string) string { return `"` + clip(plan.Escape(text)) + `"` }

func clip(text string) string {
	const limit = 200
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
