package gitpages

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// The codes of this tool's faults.
const (
	codeParameters  = "parameters"   // not the parameters of the schema
	codePagePath    = "page_path"    // a path that no page may have
	codePageLink    = "page_link"    // a link or submodule on the way to the page
	codePagePlace   = "page_place"   // a file where a folder is needed, or the reverse
	codePageCase    = "page_case"    // differs from another name only in case or composition
	codePageChanged = "page_changed" // drift; wraps tools.ErrDrift
	codeContent     = "content"      // content that no page may have
	codeTarget      = "target"       // not a target of this tool
	codeKey         = "key"          // not an idempotency key
	codeKeyConflict = "key_conflict" // the key has written something else
	codeReadOnly    = "read_only"    // the file system does not let Git write
	codeRefsLocked  = "refs_locked"  // another git process holds, or left, a lock
	codeRefsUnknown = "refs_unknown" // the transaction's outcome could not be read
	codePushUnknown = "push_unknown" // a push without an answer
	codeGitFailed   = "git_failed"   // git said no, in its own words
	codeInterrupted = faults.CodeInterrupted

	codeRemoteMoving = "remote_moving" // refs that never stood still
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
	var failed *gitcli.Error
	if errors.As(err, &failed) && failed.RefusesWriting() {
		return &faults.Fault{Class: faults.Permanent, Code: codeReadOnly, Reason: failed.Error(), Cause: err}
	}
	return transient(codeGitFailed, err, "%s", gitcli.Clip(err.Error()))
}
