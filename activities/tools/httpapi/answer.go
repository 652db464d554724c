package httpapi

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/retryafter"
	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// answer is a target's whole answer.
type answer struct {
	url     *url.URL
	status  int
	header  http.Header
	body    any    // as JSON; nil when it is none
	text    string // the body as it is
	arrived time.Time
}

func newAnswer(u *url.URL, r *http.Response, raw []byte) *answer {
	a := &answer{url: u, status: r.StatusCode, header: r.Header, text: valid(string(raw)), arrived: time.Now()}
	// Some servers begin with a byte order mark (RFC 8259, 8.1, lets us skip it).
	if body, err := template.Answer(bytes.TrimPrefix(raw, []byte("\xEF\xBB\xBF"))); err == nil {
		a.body = body
	}
	return a
}

// vars are the answer's variables for expressions, see answerVars.
func (a *answer) vars() map[string]any {
	headers := make(map[string]any, len(a.header))
	for name, values := range a.header {
		headers[strings.ToLower(name)] = valid(strings.Join(values, ", "))
	}
	return map[string]any{"status": int64(a.status), "headers": headers, "body": a.body, "text": a.text}
}

// valid is a text as UTF-8, which the expressions need.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// retryAfter is how long the target asks to wait; 0 when it does not say.
func (a *answer) retryAfter() time.Duration { return retryafter.Of(a.header, a.arrived) }
