package model

import "context"

// Meter counts. Implementations are safe for concurrent use.
type Meter interface {
	Add(ctx context.Context, counter Counter, reason string, n int64)
}

// Counter is what is counted.
type Counter string

// The counters.
const (
	Calls        Counter = "model_calls"         // to the server, whatever became of them
	StoredHits   Counter = "model_stored_hits"   // replies that had been paid for
	InputTokens  Counter = "model_input_tokens"  // as the server reported, of replies paid for
	OutputTokens Counter = "model_output_tokens" // likewise
	AskedAgain   Counter = "model_asked_again"   // with a reason, see objection; once for a reply, whoever finds it stored
	NoAnswers    Counter = "model_no_answers"    // calls that brought no reply, with the fault's code; once for a call
)
