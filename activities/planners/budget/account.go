package budget

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
)

// Account is the book as the planner of one model uses it.
type Account struct {
	book   *Book
	model  string
	at     func(context.Context) time.Time
	price  perMillion
	priced bool
}

var _ model.Spend = (*Account)(nil)

// Account makes the account of a model, by the name that it has in the
// configuration. A call's time is asked from at: it decides to which month the
// call belongs, and is to be the server's, such as the activity's start. It is
// an error when money is limited and the model has no price.
func (b *Book) Account(modelName string, at func(ctx context.Context) time.Time) (*Account, error) {
	price, priced := b.terms.prices[modelName]
	if !priced && b.terms.hasCost() {
		return nil, fmt.Errorf("budgets limit what is spent in %s, and budgets.prices has no price of the model %s", b.terms.currency, modelName)
	}
	if at == nil {
		return nil, errors.New("an account needs to know when a call is made")
	}
	return &Account{book: b, model: modelName, at: at, price: price, priced: priced}, nil
}

// Made implements model.Spend. It looks as far back as a run's budget does. Its
// errors are the faults at the head of this package.
func (a *Account) Made(ctx context.Context, tenant, runID string, keys []string) (int, error) {
	calls, err := a.calls(ctx, tenant, runID, keys)
	return len(calls), err
}

// calls are the records of some requests of a run, but for those that were given
// back.
func (a *Account) calls(ctx context.Context, tenant, runID string, keys []string) ([]record, error) {
	at := a.at(ctx).UTC()
	records, err := a.book.records(ctx, tenant, runPrefixes(at, runID), at, func(name string) bool {
		return slices.Contains(keys, keyIn(name))
	})
	return slices.DeleteFunc(records, record.free), err
}

// Reserve implements model.Spend. Its errors are the faults at the head of this
// package.
func (a *Account) Reserve(ctx context.Context, c model.Call) (model.Reservation, error) {
	r := record{
		Format: recordFormat, RunID: c.RunID, Key: c.Key, Model: a.model, At: a.at(ctx).UTC(), Until: c.Until.UTC(), Currency: a.book.terms.currency,
	}
	r, err := a.filled(r, reserved, c.Most)
	if err != nil {
		return nil, err
	}
	// Within this process, whoever checks also records before the next one checks.
	of := a.book.counter(c.Tenant)
	if err := of.takeTurn(ctx); err != nil {
		return nil, unreachable(err)
	}
	defer of.endTurn()
	of.begin(monthPrefix(r.At))
	if err := a.book.check(ctx, c.Tenant, r); err != nil {
		return nil, err
	}
	r.name = nameOf(r)
	if err := a.book.put(ctx, c.Tenant, r); err != nil {
		return nil, err
	}
	reservation := &Reservation{account: a, tenant: c.Tenant, record: r}
	if err := a.checkAgain(ctx, c, r); err != nil {
		// If that cannot be recorded, it counts until its time is over, and no call is made.
		_ = reservation.Settle(context.WithoutCancel(ctx), model.Usage{})
		return nil, err
	}
	return reservation, nil
}

// checkAgain looks once more, after a call was recorded and before it is made: of
// two processes that record at the same moment at least one sees the other's, and
// makes way. So neither goes over a limit, though both may make way.
func (a *Account) checkAgain(ctx context.Context, c model.Call, r record) error {
	if err := a.book.check(ctx, c.Tenant, r); err != nil {
		return err
	}
	if c.Tries == 0 {
		return nil
	}
	made, err := a.Made(ctx, c.Tenant, c.RunID, c.Question)
	if err != nil {
		return err
	}
	if made > c.Tries {
		return &faults.Fault{Class: faults.Transient, Code: "asked_elsewhere", Waits: true, Reason: "another attempt at this plan, whose worker was " +
			"stopped or slow and goes on, is asking the model the same question for the last time; this attempt makes way"}
	}
	return nil
}

// SettleStored implements model.Spend.
func (a *Account) SettleStored(ctx context.Context, tenant, runID, key string, u model.Usage) error {
	calls, err := a.calls(ctx, tenant, runID, []string{key})
	if err != nil || len(calls) == 0 || slices.ContainsFunc(calls, func(r record) bool { return r.State == settled }) {
		return err
	}
	newest := slices.MaxFunc(calls, func(a, b record) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.name, b.name)) })
	done, err := a.filled(newest, settled, u)
	if err != nil {
		return err
	}
	if err := a.book.put(ctx, tenant, done); err != nil {
		return err
	}
	a.book.counter(tenant).remember(done.name, done)
	return nil
}

// Cost implements model.Spend.
func (a *Account) Cost(u model.Usage) string {
	if !a.priced || min(u.InputTokens, u.OutputTokens) < 0 {
		return ""
	}
	return a.book.amount(a.price.cost(u.InputTokens, u.OutputTokens))
}

// filled is a record with what a call used, or can use.
func (a *Account) filled(r record, s state, u model.Usage) (record, error) {
	if min(u.InputTokens, u.OutputTokens) < 0 {
		return record{}, &faults.Fault{Class: faults.Permanent, Code: "bad_usage", Reason: "a call cannot use less than no tokens"}
	}
	r.State, r.InputTokens, r.OutputTokens = s, u.InputTokens, u.OutputTokens
	r.Cost = a.price.cost(u.InputTokens, u.OutputTokens)
	if s == settled {
		r.Until = time.Time{}
	}
	return r, nil
}

// Reservation is the record of one call that was allowed.
type Reservation struct {
	account *Account
	tenant  string
	record  record
}

var _ model.Reservation = (*Reservation)(nil)

// Settle implements model.Reservation: it puts what the provider reported into
// the record's place, once. The record stays in its month. After an error the
// call counts as reserved.
func (r *Reservation) Settle(ctx context.Context, u model.Usage) error {
	done, err := r.account.filled(r.record, settled, u)
	if err != nil {
		return err
	}
	return r.account.book.put(ctx, r.tenant, done)
}

// Keep implements model.Reservation. After an error others wait for the call until
// its time is over.
func (r *Reservation) Keep(ctx context.Context) error {
	kept := r.record
	kept.Until = time.Time{}
	return r.account.book.put(ctx, r.tenant, kept)
}
