package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/wire"
)

// wording is how faults of a model's requests speak. What was sent and not
// answered may have been worked on.
var wording = wire.Words{
	Address: "base_url", Doubt: "it may have been paid for",
	TooLarge: "its answer is larger than max_answer_bytes; it was paid for, and is lost: raise max_answer_bytes, or lower output_tokens",
}

// unanswered is a request that brought no whole answer. The next answer to it would
// be too large as well.
func unanswered(f *wire.Failure, cause error) error {
	err := f.Fault(wording)
	if errors.Is(cause, wire.ErrTooLarge) {
		return &faults.Last{Err: err}
	}
	return err
}

// echoed is the fault of an answer with the key in it.
func (c *Client) echoed() error {
	return &faults.Last{Err: &faults.Fault{Class: faults.Unknown, Code: "key_echoed", Reason: c.base.Host +
		" answers with the key that it was sent, in clear or in another form; the answer was paid for, and is neither stored nor used. " +
		"Replace the key, and find out who has it: what stands at base_url, the model's own instructions, or a document of the task"}}
}

// unasked is a call that the SDK ended before there was a request.
func (c *Client) unasked(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return (&wire.Failure{Host: c.base.Host, Cause: ctx.Err()}).Fault(wording)
	}
	return &faults.Fault{
		Class: faults.Permanent, Code: "bad_request", Cause: err,
		Reason: fmt.Sprintf("no request to %s can be made of this conversation and these settings", c.base.Host),
	}
}

// NoAnswer is the fault of a body that is no answer of a model: it was kept, and
// asking again may help. why is in our own words.
func (c *Client) NoAnswer(why string) error {
	return &faults.Fault{Class: faults.Transient, Code: "no_model_answer", Reason: c.base.Host + " " + why}
}

// ErrorAnswer is the fault of an error object in a body whose status says
// success.
func (c *Client) ErrorAnswer(object []byte) error {
	why := "answers with an error, and a status that says success"
	key, err := c.config.Key.Resolve()
	if err != nil {
		return c.NoAnswer(why) // without the key nobody can tell whether the code is a piece of it
	}
	if code := errorWords(object).shown(key); code != "" {
		why += ": " + code
	}
	return c.NoAnswer(why)
}
