package gitcli

import (
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The codes of the faults about a remote.
const (
	CodeRepository    = "repository"         // a repository that cannot be used as it is
	CodePushRefused   = "push_refused"       // the remote surely did not take the push
	codeUnreachable   = "remote_unreachable" // no connection, or one that broke while it was read
	codeDenied        = "remote_denied"      // credentials, permissions, certificates
	codeRemoteMissing = "remote_missing"     // no repository at that address
	codeNotAtomic     = "remote_not_atomic"  // a server that cannot move two refs together
)

// sign is how git, with LC_ALL=C, says what kept it from a remote.
type sign struct {
	words  string // within one line of its standard error
	class  faults.Class
	code   string
	advice string // what to do, where git's own words do not say it
}

// beforeContact are the signs of a command that did not get as far as asking
// the remote for anything, or that was refused as a whole: a push that ends with
// one had no effect. The more special stand first.
var beforeContact = []sign{
	{"does not support --atomic push", faults.Permanent, codeNotAtomic,
		"the branch and the marker must move together; use a server that supports it (receive.advertiseAtomic)"},
	{"mismatched algorithms", faults.Permanent, CodeRepository,
		"make the cache with the remote's object format (git init --bare --object-format=sha256)"},
	{"does not support this repository's hash algorithm", faults.Permanent, CodeRepository,
		"make the cache with the remote's object format (git init --bare --object-format=sha1)"},
	{"fatal: transport '", faults.Permanent, codeDenied, ""}, // 'ext' not allowed

	{"Authentication failed for", faults.Permanent, codeDenied, ""},
	{"could not read Username", faults.Permanent, codeDenied, "give git a credential helper or GIT_ASKPASS"},
	{"could not read Password", faults.Permanent, codeDenied, "give git a credential helper or GIT_ASKPASS"},
	{"Permission denied (", faults.Permanent, codeDenied, ""}, // ssh names the methods
	{"Host key verification failed", faults.Permanent, codeDenied, "add the host's key to known_hosts"},
	{"detected dubious ownership", faults.Permanent, codeDenied, "let the worker's user own it"},
	{"SSL certificate problem", faults.Permanent, codeDenied, ""},
	{"certificate verif", faults.Permanent, codeDenied, ""}, // of OpenSSL and GnuTLS
	{"URL returned error: 30", faults.Permanent, codeRemoteMissing, "it leads to another address; name that one"},
	{"URL returned error: 401", faults.Permanent, codeDenied, ""},
	{"URL returned error: 403", faults.Permanent, codeDenied, ""},
	{"URL returned error: 404", faults.Permanent, codeRemoteMissing, ""},
	{"URL returned error: 413", faults.Permanent, CodePushRefused, ""},
	{"URL returned error: 429", faults.Throttled, codeUnreachable, ""},
	{"access denied or repository not exported", faults.Permanent, codeDenied, ""},
	{"service not enabled", faults.Permanent, codeDenied, ""},
	{"no such repository", faults.Permanent, codeRemoteMissing, ""},
	{"does not appear to be a git repository", faults.Permanent, codeRemoteMissing, ""},
	{"is this a git repository?", faults.Permanent, codeRemoteMissing, ""}, // a web page, for one
	{"epository not found", faults.Permanent, codeRemoteMissing, ""},
	{"fatal: repository '", faults.Permanent, codeRemoteMissing, ""}, // 'URL' not found

	{"unable to access", faults.Transient, codeUnreachable, ""}, // HTTP's first request
	{"unable to look up", faults.Transient, codeUnreachable, ""},
	{"unable to connect to", faults.Transient, codeUnreachable, ""},
	{"ould not resolve ", faults.Transient, codeUnreachable, ""},
	{"ssh: connect to host", faults.Transient, codeUnreachable, ""},
	{"the remote end hung up upon initial contact", faults.Transient, codeUnreachable, ""},
	{"Could not read from remote repository", faults.Transient, codeUnreachable, ""},
}

// BeforeContact returns the fault of a command that surely had no effect at the
// remote of this address, and false for one of which nothing proves that. who
// names the remote in the fault's reason.
func (a Address) BeforeContact(who string, failed *Error) (*faults.Fault, bool) {
	for _, sign := range beforeContact {
		line, ok := failed.LineWith(sign.words)
		if !ok {
			continue
		}
		reason := who + ": " + Clip(plan.Escape(a.Redact(line)))
		if sign.advice != "" {
			reason += "; " + sign.advice
		}
		return &faults.Fault{
			Class: sign.class, Code: sign.code, Reason: reason, Cause: failed,
			// A server that answers with an error was reached.
			Waits: sign.code == codeUnreachable && !strings.Contains(line, "URL returned error"),
		}, true
	}
	return nil, false
}

// Unread returns the fault of a command that only read from the remote of this
// address: what nothing says to be lasting may be tried again.
func (a Address) Unread(who string, failed *Error) *faults.Fault {
	if fault, ok := a.BeforeContact(who, failed); ok {
		return fault
	}
	return &faults.Fault{
		Class: faults.Transient, Code: codeUnreachable, Cause: failed,
		Reason: who + ": " + Clip(plan.Escape(a.Redact(failed.Error()))),
	}
}

// LineWith returns the first line of the standard error with these words that
// git itself wrote: what the remote has to say is marked as the remote's.
func (e *Error) LineWith(words string) (string, bool) {
	for line := range strings.Lines(e.Stderr) {
		if !strings.HasPrefix(line, "remote:") && strings.Contains(line, words) {
			return strings.TrimSpace(line), true
		}
	}
	return "", false
}
