package object

import (
	"context"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// store is where objects are kept. Its errors are faults.
type store interface {
	// where names the object for people.
	where(name string) string
	// look reads the object that w would write as it is.
	look(ctx context.Context, w write) (current, error)
	// create and replace make the effect, as tools.Tool.Apply says.
	create(ctx context.Context, w write) (declared.Effect, error)
	replace(ctx context.Context, w write) (declared.Effect, error)
	// count is 1 when the object is the one that the key wrote, else 0.
	count(ctx context.Context, w write) (int, error)
	close() error
}

// absent is the state of an object that is not there.
const absent = "absent"

// current is an object as it is.
type current struct {
	state       string // absent, or what a precondition compares
	fingerprint string // of the parameters that it was written for; empty when the store does not know
	asWanted    bool   // it has the content that would be written
	size        int64
	head        []byte // its first maxShown bytes; empty when it is larger
}

// write is one approved object on its way to a store.
type write struct {
	call        tools.Call
	name        string
	content     []byte
	contentType string
	mark        mark
}

// mark says which effect an object is of: the key, and the fingerprint of the
// parameters under it.
type mark struct{ key, fingerprint string }

func markOf(c tools.Call) (mark, error) {
	fingerprint, err := plan.Fingerprint(c.Action.Parameters)
	return mark{key: c.Action.IdempotencyKey, fingerprint: fingerprint.String()}, err
}
