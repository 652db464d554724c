package budget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

// Totals are what calls have used, and what is reserved for them.
type Totals struct {
	Calls                     int
	InputTokens, OutputTokens int64
	Cost                      Money // in the book's currency
	// Foreign is another currency in which some of the calls were paid; what they
	// cost is not in Cost.
	Foreign string
}

// Tokens are the input's and the output's.
func (t Totals) Tokens() int64 { return add(t.InputTokens, t.OutputTokens) }

func (t Totals) plus(r record, currency string) Totals {
	t.Calls++
	t.InputTokens = add(t.InputTokens, r.InputTokens)
	t.OutputTokens = add(t.OutputTokens, r.OutputTokens)
	switch {
	case r.Currency == currency:
		t.Cost = add(t.Cost, r.Cost)
	case r.Cost > 0:
		t.Foreign = r.Currency
	}
	return t
}

// counter is what this process knows of one tenant.
type counter struct {
	turn chan struct{} // full while somebody checks and records

	mu    sync.Mutex
	month string            // whose calls are counted
	final map[string]record // by name: those that no longer change
}

func (b *Book) counter(tenant string) *counter {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.tenants[tenant]
	if c == nil {
		c = &counter{turn: make(chan struct{}, 1), final: map[string]record{}}
		b.tenants[tenant] = c
	}
	return c
}

func (c *counter) takeTurn(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *counter) endTurn() { <-c.turn }

// begin forgets what belongs to another month, so that a worker that runs for
// years does not keep them all.
func (c *counter) begin(month string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.month != month {
		c.month = month
		clear(c.final)
	}
}

func (c *counter) known(name string) (record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.final[name]
	return r, ok
}

func (c *counter) remember(name string, r record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.final[name] = r
}

// dead is the age at which a record that was not settled is not looked at again:
// no call to a model lasts as long. If its reply is found stored all the same, what
// it cost is known to the process that finds it, and to those that begin later.
const dead = 24 * time.Hour

// sums are totals of the same records.
type sums struct {
	all  Totals
	over Totals // of those that are not under way: they will not become less

	underWay []record // the others
}

// sum adds up the records below some prefixes, but for the one of that name.
func (b *Book) sum(ctx context.Context, tenant string, prefixes []string, now time.Time, but string) (sums, error) {
	records, err := b.records(ctx, tenant, prefixes, now, func(name string) bool { return name != but })
	if err != nil {
		return sums{}, err
	}
	var s sums
	for _, r := range records {
		s.all = s.all.plus(r, b.terms.currency)
		if r.underWay(now) {
			s.underWay = append(s.underWay, r)
		} else {
			s.over = s.over.plus(r, b.terms.currency)
		}
	}
	return s, nil
}

// records are those below some prefixes whose names are wanted. Each is read
// only as long as it can change. The error is a fault.
func (b *Book) records(
	ctx context.Context, tenant string, prefixes []string, now time.Time, wanted func(name string) bool,
) ([]record, error) {
	of := b.counter(tenant)
	lists, err := each(ctx, prefixes, func(ctx context.Context, prefix string) ([]string, error) {
		return b.entries.ListNamed(ctx, tenant, prefix)
	})
	if err != nil {
		return nil, unreachable(err)
	}
	var all []record
	var unknown []string
	for _, name := range slices.Concat(lists...) {
		if !wanted(name) {
			continue
		}
		if r, ok := of.known(name); ok {
			all = append(all, r)
		} else {
			unknown = append(unknown, name)
		}
	}
	read, err := each(ctx, unknown, func(ctx context.Context, name string) (record, error) { return b.load(ctx, tenant, name) })
	if err != nil {
		return nil, unreachable(err)
	}
	for i, r := range read {
		if r.Format == "" {
			continue // taken away since the list was made
		}
		if r.State == settled || now.Sub(r.At) > dead {
			of.remember(unknown[i], r)
		}
		all = append(all, r)
	}
	return all, nil
}

// load reads a record; the zero record when it is gone.
func (b *Book) load(ctx context.Context, tenant, name string) (record, error) {
	raw, err := b.entries.GetNamed(ctx, tenant, name, maxRecordBytes)
	var r record
	if err == nil {
		r, err = parseRecord(raw)
		r.name = name
	}
	switch {
	case errors.Is(err, blobs.ErrNotFound):
		return record{}, nil
	case errors.Is(err, blobs.ErrCorrupt), errors.Is(err, blobs.ErrTooLarge), errors.Is(err, errRecord):
		return record{}, &faults.Fault{Class: faults.Permanent, Code: "spend_damaged", Cause: err, Reason: fmt.Sprintf(
			"the record of a call is damaged, so that nobody can say what is spent; remove %s of tenant %s from the blob store to count it as nothing",
			name, tenant)}
	default:
		return r, err
	}
}

// parallel is how many requests one sum makes at a time.
const parallel = 16

// each calls do for every item, and returns the results in the items' order, or
// the first error.
func each[T, R any](ctx context.Context, items []T, do func(context.Context, T) (R, error)) ([]R, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make([]R, len(items))
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(parallel, len(items)) {
		running.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				var err error
				if results[i], err = do(ctx, items[i]); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	running.Wait()
	return results, context.Cause(ctx)
}

// unreachable is the fault of a storage that does not work, whose own text
// nobody has checked for secrets.
func unreachable(err error) error {
	if fault, ok := errors.AsType[*faults.Fault](err); ok {
		return fault
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return faults.Name(err)
	}
	return &faults.Fault{Class: faults.Transient, Code: "spend_unreachable", Waits: true, Cause: err,
		Reason: "the records of what is spent cannot be read or written, so that no model is asked; see the worker's log"}
}
