package gitpages

import (
	"errors"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
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
	{"does not support --atomic push", faults.Permanent, codeRemoteNotAtomic,
		"the branch and the marker must move together; use a server that supports it (receive.advertiseAtomic)"},
	{"mismatched algorithms", faults.Permanent, codeRepository,
		"make the cache with the remote's object format (git init --bare --object-format=sha256)"},
	{"does not support this repository's hash algorithm", faults.Permanent, codeRepository,
		"make the cache with the remote's object format (git init --bare --object-format=sha1)"},
	{"fatal: transport '", faults.Permanent, codeRemoteDenied, ""}, // 'ext' not allowed

	{"Authentication failed for", faults.Permanent, codeRemoteDenied, ""},
	{"could not read Username", faults.Permanent, codeRemoteDenied, "give git a credential helper or GIT_ASKPASS"},
	{"could not read Password", faults.Permanent, codeRemoteDenied, "give git a credential helper or GIT_ASKPASS"},
	{"Permission denied (", faults.Permanent, codeRemoteDenied, ""}, // ssh names the methods
	{"Host key verification failed", faults.Permanent, codeRemoteDenied, "add the host's key to known_hosts"},
	{"detected dubious ownership", faults.Permanent, codeRemoteDenied, "let the worker's user own it"},
	{"SSL certificate problem", faults.Permanent, codeRemoteDenied, ""},
	{"certificate verif", faults.Permanent, codeRemoteDenied, ""}, // of OpenSSL and GnuTLS
	{"URL returned error: 30", faults.Permanent, codeRemoteMissing, "it leads to another address; name that one"},
	{"URL returned error: 401", faults.Permanent, codeRemoteDenied, ""},
	{"URL returned error: 403", faults.Permanent, codeRemoteDenied, ""},
	{"URL returned error: 404", faults.Permanent, codeRemoteMissing, ""},
	{"URL returned error: 413", faults.Permanent, codePushRefused, ""},
	{"URL returned error: 429", faults.Throttled, codeRemoteUnreachable, ""},
	{"access denied or repository not exported", faults.Permanent, codeRemoteDenied, ""},
	{"service not enabled", faults.Permanent, codeRemoteDenied, ""},
	{"no such repository", faults.Permanent, codeRemoteMissing, ""},
	{"does not appear to be a git repository", faults.Permanent, codeRemoteMissing, ""},
	{"is this a git repository?", faults.Permanent, codeRemoteMissing, ""}, // a web page, for one
	{"epository not found", faults.Permanent, codeRemoteMissing, ""},
	{"fatal: repository '", faults.Permanent, codeRemoteMissing, ""}, // 'URL' not found

	{"unable to access", faults.Transient, codeRemoteUnreachable, ""}, // HTTP's first request
	{"unable to look up", faults.Transient, codeRemoteUnreachable, ""},
	{"unable to connect to", faults.Transient, codeRemoteUnreachable, ""},
	{"ould not resolve ", faults.Transient, codeRemoteUnreachable, ""},
	{"ssh: connect to host", faults.Transient, codeRemoteUnreachable, ""},
	{"the remote end hung up upon initial contact", faults.Transient, codeRemoteUnreachable, ""},
	{"Could not read from remote repository", faults.Transient, codeRemoteUnreachable, ""},
}

// trouble finds what a failed command says about the remote. Of a push it
// takes only what proves that nothing was pushed.
func (m *remoteRefs) trouble(failed *gitError, push bool) (*faults.Fault, bool) {
	for _, sign := range beforeContact {
		line, ok := lineWith(failed.stderr, sign.words)
		if !ok {
			continue
		}
		reason := m.who() + ": " + clip(plan.Escape(m.address.redact(line)))
		if sign.advice != "" {
			reason += "; " + sign.advice
		}
		return &faults.Fault{Class: sign.class, Code: sign.code, Reason: reason, Cause: failed}, true
	}
	if push {
		return nil, false
	}
	return transient(codeRemoteUnreachable, failed, "%s: %s", m.who(), clip(plan.Escape(m.address.redact(failed.Error())))), true
}

// unreadable is the fault for a remote that could not be read, after which
// nothing was written.
func (m *remoteRefs) unreadable(err error) error {
	if failed, ok := errors.AsType[*gitError](err); ok {
		fault, _ := m.trouble(failed, false)
		return fault
	}
	return err
}

// meansRace reports a fetch that another process with the same cache, or a ref
// that went away at the remote, got in the way of.
func meansRace(err error) bool {
	failed, ok := errors.AsType[*gitError](err)
	return ok && hasOneOf(failed.stderr, []string{"cannot lock ref", "unable to update local ref", "couldn't find remote ref"})
}

// lineWith returns the first line with these words that git itself wrote: what
// the remote has to say is marked as the remote's.
func lineWith(stderr, words string) (string, bool) {
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "remote:") && strings.Contains(line, words) {
			return strings.TrimSpace(line), true
		}
	}
	return "", false
}
