package provider

import (
	"fmt"
	"net/http"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/retryafter"
)

// Statuses without a name in net/http: Anthropic's API has no room
// (docs.anthropic.com, API errors); the proxy before it got an answer that it does
// not understand, or none in time (developers.cloudflare.com, 5xx errors).
const (
	statusUnknownAnswer = 520
	statusNoAnswer      = 524
	statusOverloaded    = 529
)

// meaning is what an answer's status means, when it is no success.
type meaning struct {
	class faults.Class
	why   string // what to do, where somebody can do something
}

// meanings is the table of statuses. Those of 4xx that are not in it are as
// 400, and all others as 500. A refusal is not paid for; but what stands before a
// model and has lost its answer does not say whether the model was at work.
var meanings = map[int]meaning{
	http.StatusBadRequest:      {faults.Permanent, "refuses the request; check model, temperature, output_tokens and structured"},
	http.StatusUnauthorized:    {faults.Permanent, "does not accept the key; check what key refers to"},
	http.StatusPaymentRequired: {faults.Permanent, "asks for payment; check the account's balance"},
	http.StatusForbidden:       {faults.Permanent, "does not allow it; check what the key may do, and with which model"},
	http.StatusNotFound:        {faults.Permanent, "knows no such model, or no such path; check model and base_url"},

	http.StatusMethodNotAllowed:      {faults.Permanent, "is no API of this kind; check base_url"},
	http.StatusRequestEntityTooLarge: {faults.Permanent, "finds the request too large; lower the budget of tokens for documents"},

	http.StatusRequestTimeout:  {faults.Transient, "timed out"},
	http.StatusConflict:        {faults.Transient, "is busy with something else"},
	http.StatusTooEarly:        {faults.Transient, "has not begun"},
	http.StatusTooManyRequests: {faults.Throttled, "asks to wait"},
	statusOverloaded:           {faults.Throttled, "is overloaded"},

	http.StatusBadGateway:     {faults.Unknown, lostBehind},
	http.StatusGatewayTimeout: {faults.Unknown, lostBehind},
	statusUnknownAnswer:       {faults.Unknown, lostBehind},
	statusNoAnswer:            {faults.Unknown, lostBehind},
}

const lostBehind = "got no answer from what stands behind it; it may have been paid for"

// meaningOf is the table with its defaults.
func meaningOf(status int) meaning {
	m, listed := meanings[status]
	switch {
	case listed:
		return m
	case status >= 300 && status < 400:
		return meaning{faults.Permanent, "redirects, and a key is never sent elsewhere; write the final address into base_url"}
	case status >= 400 && status < 500:
		return meaning{faults.Permanent, "refuses the request"}
	default:
		return meaning{faults.Transient, "failed"}
	}
}

// outOfMoney are types and codes of OpenAI's 429 that no waiting helps
// (developers.openai.com, error codes). A type covers codes that are not here.
var outOfMoney = map[string]bool{
	"insufficient_quota": true, "credit_balance_exhausted": true, "organization_spend_limit_exceeded": true,
	"project_spend_limit_exceeded": true, "organization_usage_limit_exceeded": true,
}

// fault is an answer that is no success: host, status, the provider's own code
// where it can be shown, and our words. Nothing else of the answer is in it.
func (a *answer) fault(key string) error {
	m, words := meaningOf(a.status), readWords(a.body)
	switch {
	case outOfMoney[words.kind] || outOfMoney[words.code]:
		m = meaning{faults.Permanent, "has no money left of this account; check its balance and limits"}
	case words.code == "context_length_exceeded":
		m = meaning{faults.Permanent, "finds the request too long for the model; lower the budget of tokens for documents"}
	}
	f := &faults.Fault{Class: m.class, Code: fmt.Sprintf("http_%d", a.status), Reason: a.named(words.shown(key)) + " " + m.why}
	if f.Class == faults.Permanent {
		return f
	}
	if f.RetryAfter = retryafter.Of(a.header, a.arrived); f.RetryAfter > 0 && f.Class == faults.Transient {
		f.Class = faults.Throttled
	}
	return f
}

// named is who answers what: "api.example.com (401 Unauthorized, invalid_api_key)".
func (a *answer) named(code string) string {
	name := fmt.Sprintf("%s (%d", a.host, a.status)
	if text := http.StatusText(a.status); text != "" {
		name += " " + text
	}
	if code != "" {
		name += ", " + code
	}
	return name + ")"
}
