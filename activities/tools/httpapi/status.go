package httpapi

import (
	"fmt"
	"net/http"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// meaning is what an answer's status means for the write it answers, when the
// declaration does not count it as success.
type meaning struct {
	class faults.Class
	code  string // "" stands for "http_" and the number
	why   string
}

// meanings is the table of statuses. Those of 4xx that are not in it are as
// 400: the target refuses, and did nothing. All others are as 500.
var meanings = map[int]meaning{
	// What forms answer after their effect, and what a page for logging in is
	// reached by. List it in success where it is the first.
	http.StatusFound:    {faults.Unknown, faults.CodeOutcomeUnknown, "redirects, as a form does after its effect; a person must look"},
	http.StatusSeeOther: {faults.Unknown, faults.CodeOutcomeUnknown, "redirects, as a form does after its effect; a person must look"},

	http.StatusUnauthorized:     {faults.Permanent, "", "does not accept the credentials"},
	http.StatusForbidden:        {faults.Permanent, "", "does not allow it"},
	http.StatusNotFound:         {faults.Permanent, "", "has nothing there"},
	http.StatusMethodNotAllowed: {faults.Permanent, "", "does not know the method there"},
	// It gave up waiting for the request; whether it had all of it, nobody says.
	http.StatusRequestTimeout: {faults.Unknown, "", "timed out; the effect may be there"},
	http.StatusConflict:       {faults.Permanent, "", "refuses it as a conflict"},
	http.StatusTooEarly:       {faults.Transient, "", "has not begun (RFC 8470)"},
	// RFC 6585, 4: too many requests, so this one was not carried out.
	http.StatusTooManyRequests: {faults.Throttled, "", "asks to wait"},
}

// meaningOf is the table with its defaults.
func meaningOf(status int) meaning {
	m, listed := meanings[status]
	switch {
	case listed:
		return m
	case status >= 300 && status < 400:
		return meaning{faults.Permanent, "redirected", "redirects, and a write is never sent elsewhere"}
	case status >= 400 && status < 500:
		return meaning{faults.Permanent, "", "refuses it"}
	case status >= 200 && status < 300:
		return meaning{faults.Unknown, "", "answers with a status that success does not list; the effect may be there"}
	default:
		return meaning{faults.Unknown, "", "failed; the effect may be there"}
	}
}

// fault is an answer as a fault: host, status and our own words.
func (a *answer) fault(m meaning) *faults.Fault {
	code := m.code
	if code == "" {
		code = fmt.Sprintf("http_%d", a.status)
	}
	f := &faults.Fault{Class: m.class, Code: code, Reason: a.named() + " " + m.why}
	if m.class != faults.Permanent {
		f.RetryAfter = a.retryAfter()
	}
	return f
}

// named is who answers what: "api.example.com (409 Conflict)".
func (a *answer) named() string {
	text := http.StatusText(a.status)
	if text == "" {
		return fmt.Sprintf("%s (%d)", a.url.Host, a.status)
	}
	return fmt.Sprintf("%s (%d %s)", a.url.Host, a.status, text)
}

// refusal is what an answer's status means for a write.
func (a *answer) refusal() error {
	if a.status == http.StatusBadRequest && a.url.Scheme == "http" && wantsTLS(a.text) {
		return a.fault(meaning{faults.Permanent, "speaks_tls", "says that its port speaks TLS: write https"})
	}
	return a.fault(meaningOf(a.status))
}

// unread is what an answer's status means for a read request, which wrote
// nothing.
func (a *answer) unread() error {
	m := meaningOf(a.status)
	switch {
	case a.status >= 300 && a.status < 400:
		m = meaning{faults.Permanent, "redirected", "redirects a read request to another host, or without end"}
	case m.class == faults.Unknown:
		m = meaning{faults.Transient, m.code, "does not answer a read request"}
	}
	return a.fault(m)
}
