package budget

import (
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
	at := a.at(ctx).UTC()
	records, err := a.book.records(ctx, tenant, runPrefixes(at, runID), at, func(name string) bool {
		return slices.Contains(keys, keyIn(name))
	})
	made := 0
	for _, r := range records {
		if !r.free() {
			made++
		}
	}
	return made, err
}

// Reserve implements model.Spend. Its errors are the faults at the head of this
// package.
func (a *Account) Reserve(ctx context.Context, c model.Call) (model.Reservation, error) {
	r := record{Format: recordFormat, RunID: c.RunID, Key: c.Key, Model: a.model, At: a.at(ctx).UTC(), Currency: a.book.terms.currency}
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
	name := nameOf(r)
	if err := a.book.put(ctx, c.Tenant, name, r); err != nil {
		return nil, err
	}
	return &Reservation{account: a, tenant: c.Tenant, name: name, record: r}, nil
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
	return r, nil
}

// Reservation is the record of one call that was allowed.
type Reservation struct {
	account *Account
	tenant  string
	name    string
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
	return r.account.book.put(ctx, r.tenant, r.name, done)
}
