package budget

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// Entries is the part of the blob store that keeps a tenant's entries by name.
type Entries interface {
	PutNamed(ctx context.Context, tenant, name string, data []byte) error
	GetNamed(ctx context.Context, tenant, name string, limit int64) ([]byte, error)
	ListNamed(ctx context.Context, tenant, prefix string) ([]string, error)
}

// Book has the records of all calls. It is safe for concurrent use by many
// goroutines, and by processes as the head of this package says.
type Book struct {
	entries Entries
	terms   terms

	mu      sync.Mutex
	tenants map[string]*counter
}

// New makes a book of the records in entries. Its error is that of
// Config.Validate.
func New(entries Entries, c Config) (*Book, error) {
	t, err := c.read()
	if err != nil {
		return nil, err
	}
	return &Book{entries: entries, terms: t, tenants: map[string]*counter{}}, nil
}

// check refuses a call that would go over a limit with all others: r's own record,
// where it is stored already, does not count twice.
func (b *Book) check(ctx context.Context, tenant string, r record) error {
	if l := b.terms.run; l.any() {
		spent, err := b.sum(ctx, tenant, runPrefixes(r.At, r.RunID), r.At, r.name)
		if err != nil {
			return err
		}
		if err := b.within(l, spent, r, "run "+r.RunID, "lower the model's input_tokens and output_tokens"); err != nil {
			return err
		}
	}
	if l := b.terms.of(tenant); l.any() {
		spent, err := b.sum(ctx, tenant, []string{monthPrefix(r.At)}, r.At, r.name)
		if err != nil {
			return err
		}
		first := time.Date(r.At.Year(), r.At.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		whose := fmt.Sprintf("tenant %s for %s (UTC)", tenant, r.At.Format("2006-01"))
		return b.within(l, spent, r, whose, "wait until "+first.Format(time.DateOnly))
	}
	return nil
}

// within is nil, or the fault of a call that would go over a limit. Where only
// calls that are under way leave no room for it, it waits: most of them take less
// than is reserved.
func (b *Book) within(l limits, spent sums, r record, whose, otherwise string) error {
	if b.under(l, spent.all, r, whose, otherwise) == nil {
		return nil
	}
	if err := b.under(l, spent.over, r, whose, otherwise); err != nil {
		return err
	}
	return &faults.Fault{Class: faults.Transient, Code: "budget_reserved", Waits: true, Reason: fmt.Sprintf(
		"the budget of %s (%s) has no room for this call while %s, for which the most is reserved; it waits until they are over",
		whose, l.setting, underWay(spent.underWay, r.RunID))}
}

// underWay says whose calls are under way. A run makes one plan at a time: those of
// the same run are of attempts whose workers have not said how they ended.
func underWay(calls []record, runID string) string {
	var own time.Time
	others := false
	for _, r := range calls {
		if r.RunID != runID {
			others = true
		} else if r.Until.After(own) {
			own = r.Until
		}
	}
	earlier := "the calls of an earlier attempt of this run, whose worker ended without a word, count as under way until " + own.UTC().Format(time.RFC3339)
	switch {
	case own.IsZero():
		return "others' calls are under way"
	case others:
		return "others' calls are under way and " + earlier
	default:
		return earlier
	}
}

// under is nil, or the fault of a call that goes over a limit with what is spent.
func (b *Book) under(l limits, spent Totals, r record, whose, otherwise string) error {
	tokens := add(r.InputTokens, r.OutputTokens)
	if l.tokens > 0 && add(spent.Tokens(), tokens) > l.tokens {
		return overBudget(whose, l.setting+".tokens", otherwise, grouped(l.tokens)+" tokens", grouped(spent.Tokens()), grouped(tokens))
	}
	if l.cost == 0 {
		return nil
	}
	if spent.Foreign != "" {
		return &faults.Fault{Class: faults.Permanent, Code: "spend_currency", Reason: fmt.Sprintf(
			"the budget of %s is in %s, and calls that count for it were paid in %s: change the currency at the start of a month, or limit tokens until then",
			whose, b.terms.currency, spent.Foreign)}
	}
	if add(spent.Cost, r.Cost) > l.cost {
		return overBudget(whose, l.setting+".cost", otherwise, b.amount(l.cost), b.amount(spent.Cost), b.amount(r.Cost))
	}
	return nil
}

func (b *Book) amount(m Money) string { return m.String() + " " + b.terms.currency }

func overBudget(whose, setting, otherwise, limit, spent, most string) error {
	return &faults.Fault{Class: faults.Permanent, Code: "over_budget", Reason: fmt.Sprintf(
		"the budget of %s is %s; %s of it are spent or reserved, and this call could take %s, so it was not made: "+
			"raise %s in the worker's configuration, or %s", whose, limit, spent, most, setting, otherwise)}
}

// grouped is a whole number with a comma before each three digits.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// put stores a record, in the place of an earlier one of the same call.
func (b *Book) put(ctx context.Context, tenant string, r record) error {
	raw, err := json.Marshal(r)
	if err == nil {
		err = b.entries.PutNamed(ctx, tenant, r.name, raw)
	}
	if err != nil {
		return unreachable(err)
	}
	return nil
}
