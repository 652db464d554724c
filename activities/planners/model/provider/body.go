package provider

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Open reads a body, of which it is known only that its status said success,
// into a provider's envelope. It refuses, as no answer of a model, what is not one
// JSON object of that form, or says a thing twice. An SDK's own reader is not
// asked: it fills in zeros for what has another type, and so takes a page of
// anything for an empty answer.
func (c *Client) Open(body []byte, envelope any) error {
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '{' {
		return c.NoAnswer(guess(trimmed))
	}
	if !utf8.Valid(body) {
		return c.NoAnswer("answers with bytes that are no UTF-8")
	}
	if json.Unmarshal(body, envelope) != nil {
		return c.NoAnswer("answers with JSON of another form than a model's answer")
	}
	if saysTwice(body) {
		return c.NoAnswer("answers with JSON in which a member stands twice, so that two readers see two answers")
	}
	return nil
}

// guess says what a body looks like, for whoever must mend it.
func guess(body []byte) string {
	switch {
	case len(body) == 0:
		return "answers with nothing"
	case body[0] == '<':
		return "answers with a page, not with JSON; check base_url, and what stands before the model"
	case bytes.HasPrefix(body, []byte("data:")), bytes.HasPrefix(body, []byte("event:")), body[0] == ':':
		return "answers with a stream of events, which was not asked for"
	default:
		return "answers with something that is no JSON object"
	}
}

// Given reports a member that is there and not null.
func Given(raw json.RawMessage) bool { return len(raw) > 0 && !bytes.Equal(raw, []byte("null")) }

// maxTokens is beyond what any call can use: a number over it counts nothing.
const maxTokens = 1 << 40

// Tokens is a number of tokens as a server reported it; 0 when it is none that
// can be.
func Tokens(raw json.RawMessage) int64 {
	var n int64
	if json.Unmarshal(raw, &n) != nil || n < 0 || n > maxTokens {
		return 0
	}
	return n
}
