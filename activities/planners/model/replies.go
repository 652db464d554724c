package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

// ErrNoReply says that no reply is stored under a key.
var ErrNoReply = errors.New("no stored reply")

// Replies keeps the bodies of answers that were paid for. A key is 64 hex
// digits. Implementations are safe for concurrent use.
type Replies interface {
	// Load returns the body that was stored, or ErrNoReply.
	Load(ctx context.Context, tenant, key string) ([]byte, error)
	// Store keeps a body, where none is kept under the key, and returns the one that
	// is, which is another attempt's where that was the first; when it returns
	// without an error, that one is there for good. The next question is made of a
	// reply, and so the replies to it stand under keys that depend on it: were it
	// replaced, nobody would find them.
	Store(ctx context.Context, tenant, key string, body []byte) (kept []byte, err error)
	// Probe stores a few bytes and reads them back. It is asked before a reply is
	// bought again whose like was not stored.
	Probe(ctx context.Context, tenant string) error
}

// Named is the part of the blob store that keeps a tenant's entries by name.
type Named interface {
	PutNamed(ctx context.Context, tenant, name string, data []byte) error
	AddNamed(ctx context.Context, tenant, name string, data []byte) error
	GetNamed(ctx context.Context, tenant, name string, limit int64) ([]byte, error)
}

// maxBodyBytes bounds a stored answer. A plan has at most plan.MaxBytes, and an
// envelope writes some letters with six bytes.
const maxBodyBytes = 64 << 20

// StoredIn keeps replies in the blob store, as "replies/KEY", beside the probe's
// "replies/probe". Its errors are ErrNoReply and *faults.Fault.
func StoredIn(store Named) Replies { return storedReplies{store} }

type storedReplies struct{ Named }

func (s storedReplies) Load(ctx context.Context, tenant, key string) ([]byte, error) {
	body, err := s.GetNamed(ctx, tenant, nameOf(key), maxBodyBytes)
	switch {
	case err == nil:
		return body, nil
	case errors.Is(err, blobs.ErrNotFound):
		return nil, ErrNoReply
	case errors.Is(err, blobs.ErrCorrupt), errors.Is(err, blobs.ErrTooLarge):
		// To ask again would be to pay again, and that is not decided here.
		return nil, &faults.Fault{Class: faults.Permanent, Code: "reply_damaged", Cause: err, Reason: fmt.Sprintf(
			"a reply of the model was stored and is damaged; remove %s of tenant %s from the blob store to pay for another", nameOf(key), tenant)}
	default:
		return nil, unreachable(err)
	}
}

func (s storedReplies) Store(ctx context.Context, tenant, key string, body []byte) ([]byte, error) {
	if len(body) > maxBodyBytes {
		return nil, permanent("reply_too_large", "the model's server answered with %d bytes; at most %d are kept", len(body), maxBodyBytes)
	}
	err := s.AddNamed(ctx, tenant, nameOf(key), body)
	switch {
	case err == nil:
		return body, nil
	case errors.Is(err, blobs.ErrExists):
		return s.Load(ctx, tenant, key)
	default:
		return nil, unreachable(err)
	}
}

// Probe implements Replies.
func (s storedReplies) Probe(ctx context.Context, tenant string) error {
	probe := []byte("Replies of models are kept beside this entry.\n")
	if err := s.PutNamed(ctx, tenant, nameOf("probe"), probe); err != nil {
		return unreachable(err)
	}
	if _, err := s.GetNamed(ctx, tenant, nameOf("probe"), int64(len(probe))); err != nil {
		return unreachable(err)
	}
	return nil
}

func nameOf(key string) string { return "replies/" + key }

// unreachable is a fault for an error of the storage, whose own text nobody has
// checked for secrets.
func unreachable(err error) error {
	if _, ok := errors.AsType[*faults.Fault](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return faults.Name(err)
	}
	return &faults.Fault{Class: faults.Transient, Code: "replies_unreachable", Waits: true, Cause: err,
		Reason: "the store of the model's replies does not work, and nothing is bought before it does; see the worker's log"}
}

func permanent(code, format string, args ...any) *faults.Fault {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: fmt.Sprintf(format, args...)}
}
