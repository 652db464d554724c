package httpapi

import (
	"errors"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/wire"
)

// wording is how faults of a tool's requests speak.
var wording = wire.Words{
	Address: "the url", Doubt: "the effect may be there", TooLarge: "its answer is larger than the tool's limit; the effect may be there",
}

// unread is what it means that no whole answer to a read request came: it
// wrote nothing, so it can be made again.
func unread(f *wire.Failure) error {
	if fault := f.Unsent(wording); fault != nil {
		return fault
	}
	if errors.Is(f.Cause, wire.ErrTooLarge) {
		return f.As(faults.Permanent, "answer_too_large", "its answer to a read request is larger than the tool's limit")
	}
	return f.As(faults.Transient, "not_read", "no whole answer came to a read request")
}
