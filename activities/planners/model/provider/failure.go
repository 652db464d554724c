package provider

import (
	"context"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/wire"
)

// wording is how faults of a model's requests speak. What was sent and not
// answered may have been worked on.
var wording = wire.Words{
	Address: "base_url", Doubt: "it may have been paid for", TooLarge: "its answer is larger than max_answer_bytes; it was paid for, and is lost",
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
