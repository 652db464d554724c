package model

import (
	"context"
	"encoding/json"
)

// Engine asks one model of one provider. Implementations are safe for
// concurrent use. They repeat nothing by themselves: what a second call costs is
// decided above them.
type Engine interface {
	// Identity is all that decides on a reply beside the conversation: provider,
	// address, model, temperature, token limit. It is canonical JSON, and there is
	// no secret in it.
	Identity() json.RawMessage

	// Ask sends a conversation and returns the body of the answer as it came,
	// whatever it says, so that it can be stored before anybody looks into it. An
	// error is a *faults.Fault, and says that there is no answer to keep: Transient
	// or Throttled (with the server's Retry-After) when asking again may help,
	// Permanent when it will not, Unknown when the answer may have been paid for
	// and is lost, within a *faults.Last when the next one would be lost like it.
	// It never holds the key, a header or the answer's body. No answer that holds
	// the key is returned.
	Ask(ctx context.Context, c Conversation) ([]byte, error)

	// Read reads a body that Ask returned. An error is a *faults.Fault: Transient
	// for a body that is no answer of a model, such as a page of HTML or an
	// overloaded server's words with status 200.
	Read(body []byte) (Reply, error)
}

// Conversation is what a model is told.
type Conversation struct {
	System   string          `json:"system"`
	Messages []Message       `json:"messages"` // the user's and the model's in turn, the user's first and last
	Schema   json.RawMessage `json:"schema"`   // JSON Schema of the reply
}

// Message is one of a conversation.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text"`
}

// Role is whose words a message has.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Reply is a model's answer, as its provider's envelope says it.
type Reply struct {
	Text    string // as it came; may be empty
	Refusal string // the model's words for that it will not; empty when it does
	Stop    Stop
	ModelID string // as the server reported it
	Usage   Usage
}

// Usage is what a reply cost, as the server reported it: anything, and zero when
// it did not.
type Usage struct {
	InputTokens, OutputTokens int64
}

// Stop is why a reply ended.
type Stop string

// The ends of a reply.
const (
	Ended    Stop = "ended"    // by itself
	Cut      Stop = "cut"      // at the limit of tokens
	Filtered Stop = "filtered" // by the provider
	Other    Stop = "other"    // anything else
)
