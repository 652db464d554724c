package budget_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/budget"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

const run = "acme/weekly-report"

var key = strings.Repeat("ab", 32)

// shop is a blob store with a clock, which several workers share.
type shop struct {
	t     *testing.T
	dir   string
	store *blobs.Store
	now   time.Time
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	var err error
	s.store, err = blobs.Config{URL: "file://" + s.dir}.Open()
	require.NoError(t, err)
	t.Cleanup(func() { s.store.Close() })
	return s
}

// prices are 2.50 USD and 10.00 USD.
func prices(c budget.Config) budget.Config {
	c.Currency = "USD"
	c.Prices = map[string]budget.Price{"gpt-x": {Input: "2.50", Output: "10.00"}}
	return c
}

// worker is a process of its own: it knows nothing but what is stored.
func (s *shop) worker(c budget.Config) (*budget.Account, *budget.Book) {
	return s.workerOn(s.store, c)
}

func (s *shop) workerOn(entries budget.Entries, c budget.Config) (*budget.Account, *budget.Book) {
	s.t.Helper()
	book, err := budget.New(entries, c)
	require.NoError(s.t, err)
	account, err := book.Account("gpt-x", func(context.Context) time.Time { return s.now })
	require.NoError(s.t, err)
	return account, book
}

func call(runID string, input, output int64) model.Call {
	return model.Call{Tenant: "acme", RunID: runID, Key: key, Most: model.Usage{InputTokens: input, OutputTokens: output}}
}

func reserve(t *testing.T, a *budget.Account, c model.Call) model.Reservation {
	t.Helper()
	r, err := a.Reserve(t.Context(), c)
	require.NoError(t, err)
	return r
}

func requireFault(t *testing.T, err error, class faults.Class, code string) *faults.Fault {
	t.Helper()
	var f *faults.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, class.String()+" "+code, f.Class.String()+" "+f.Code, f.Reason)
	return f
}

func (s *shop) spent(b *budget.Book) (ofRun, ofTenant budget.Totals) {
	s.t.Helper()
	ofRun, ofTenant, err := b.Spent(s.t.Context(), "acme", run, s.now)
	require.NoError(s.t, err)
	return ofRun, ofTenant
}

func TestReservationIsReplacedByWhatWasReported(t *testing.T) {
	s := newShop(t)
	a, book := s.worker(prices(budget.Config{}))
	r := reserve(t, a, call(run, 1000, 16000))
	ofRun, all := s.spent(book)
	require.Equal(t, budget.Totals{Calls: 1, InputTokens: 1000, OutputTokens: 16000, Cost: 162_500}, ofRun) // 0.0025 + 0.16
	require.Equal(t, ofRun, all)

	require.NoError(t, r.Settle(t.Context(), model.Usage{InputTokens: 1200, OutputTokens: 300}))
	ofRun, _ = s.spent(book)
	require.Equal(t, budget.Totals{Calls: 1, InputTokens: 1200, OutputTokens: 300, Cost: 6000}, ofRun)

	reserve(t, a, call("acme/other", 10, 10))
	ofRun, all = s.spent(book)
	require.Equal(t, 1, ofRun.Calls)
	require.Equal(t, budget.Totals{Calls: 2, InputTokens: 1210, OutputTokens: 310, Cost: 6125}, all)
	require.Equal(t, int64(1520), all.Tokens())
	require.Equal(t, "0.006 USD", a.Cost(model.Usage{InputTokens: 1200, OutputTokens: 300}))
}

// One request that is made twice is two calls, and one that cost nothing is one
// still.
func TestTwoCallsOfOneRequestAreTwoRecords(t *testing.T) {
	s := newShop(t)
	a, book := s.worker(prices(budget.Config{}))
	reserve(t, a, call(run, 1000, 1000)) // its worker died
	r := reserve(t, a, call(run, 1000, 1000))
	require.NoError(t, r.Settle(t.Context(), model.Usage{InputTokens: 900, OutputTokens: 100}))
	free := reserve(t, a, call(run, 1000, 1000))
	require.NoError(t, free.Settle(t.Context(), model.Usage{}))
	ofRun, _ := s.spent(book)
	require.Equal(t, budget.Totals{Calls: 3, InputTokens: 1900, OutputTokens: 1100, Cost: 2500 + 10_000 + 2250 + 1000}, ofRun)

	names, err := s.store.ListNamed(t.Context(), "acme", "")
	require.NoError(t, err)
	require.Len(t, names, 3)
	for _, name := range names {
		require.Regexp(t, `^spend/2026-11/[0-9a-f]{64}/`+key+`-[A-Z2-7]{26}\.json$`, name)
	}
}

func TestOverBudgetNamesTheBudget(t *testing.T) {
	for _, c := range []struct {
		what   string
		config budget.Config
		want   string
	}{
		{
			"run, tokens", budget.Config{Run: budget.Limits{Tokens: 20_000}},
			"over_budget: the budget of run acme/weekly-report is 20,000 tokens; 11,000 of it are spent or reserved, and this call could take 11,000, " +
				"so it was not made: raise budgets.run.tokens in the worker's configuration, or lower the model's input_tokens and output_tokens",
		},
		{
			"run, cost", budget.Config{Run: budget.Limits{Cost: "0.20"}},
			"over_budget: the budget of run acme/weekly-report is 0.20 USD; 0.1025 USD of it are spent or reserved, and this call could take 0.1025 USD, " +
				"so it was not made: raise budgets.run.cost in the worker's configuration, or lower the model's input_tokens and output_tokens",
		},
		{
			"tenant, tokens", budget.Config{Tenant: budget.Limits{Tokens: 21_999}},
			"over_budget: the budget of tenant acme for 2026-11 (UTC) is 21,999 tokens; 11,000 of it are spent or reserved, and this call could take 11,000, " +
				"so it was not made: raise budgets.tenant.tokens in the worker's configuration, or wait until 2026-12-01",
		},
		{
			"this tenant, cost", budget.Config{
				Tenant:  budget.Limits{Cost: "1000"},
				Tenants: map[string]budget.Limits{"acme": {Cost: "0.204999"}},
			},
			"over_budget: the budget of tenant acme for 2026-11 (UTC) is 0.204999 USD; 0.1025 USD of it are spent or reserved, and this call could take 0.1025 USD, " +
				"so it was not made: raise budgets.tenants.acme.cost in the worker's configuration, or wait until 2026-12-01",
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := newShop(t)
			a, book := s.worker(prices(c.config))
			reserve(t, a, call(run, 1000, 10_000)) // 0.0025 + 0.10
			_, err := a.Reserve(t.Context(), call(run, 1000, 10_000))
			requireFault(t, err, faults.Permanent, "over_budget")
			require.EqualError(t, err, c.want)
			_, all := s.spent(book)
			require.Equal(t, 1, all.Calls, "what is refused leaves no record")
		})
	}
}

func TestTheLastTokenOfABudgetCanBeSpent(t *testing.T) {
	s := newShop(t)
	a, _ := s.worker(prices(budget.Config{
		Run: budget.Limits{Tokens: 22_000, Cost: "0.205"}, Tenant: budget.Limits{Tokens: 22_000, Cost: "0.205"},
	}))
	reserve(t, a, call(run, 1000, 10_000))
	r := reserve(t, a, call(run, 1000, 10_000))
	_, err := a.Reserve(t.Context(), call(run, 1, 0))
	requireFault(t, err, faults.Permanent, "over_budget")
	require.NoError(t, r.Settle(t.Context(), model.Usage{InputTokens: 1000, OutputTokens: 9999}))
	reserve(t, a, call(run, 1, 0)) // what was reserved and not used is free again
}

func TestBudgetsOfOthersAreTheirs(t *testing.T) {
	s := newShop(t)
	a, _ := s.worker(budget.Config{Run: budget.Limits{Tokens: 100}, Tenant: budget.Limits{Tokens: 150}})
	reserve(t, a, call(run, 100, 0))
	_, err := a.Reserve(t.Context(), call(run, 1, 0))
	require.ErrorContains(t, requireFault(t, err, faults.Permanent, "over_budget"), "budgets.run.tokens")
	reserve(t, a, call("acme/other", 50, 0))
	_, err = a.Reserve(t.Context(), call("acme/third", 1, 0))
	require.ErrorContains(t, requireFault(t, err, faults.Permanent, "over_budget"), "budgets.tenant.tokens")
	other := call("other/weekly-report", 100, 0)
	other.Tenant = "other"
	reserve(t, a, other)
}

func TestOneTenantsOwnLimitsAreNotTheOthers(t *testing.T) {
	s := newShop(t)
	a, _ := s.worker(budget.Config{Tenant: budget.Limits{Tokens: 10}, Tenants: map[string]budget.Limits{"acme": {}}})
	reserve(t, a, call(run, 1000, 0))
	other := call("other/x", 11, 0)
	other.Tenant = "other"
	_, err := a.Reserve(t.Context(), other)
	requireFault(t, err, faults.Permanent, "over_budget")
}

// The month is that of the time handed in, in UTC. What was reserved in one
// month stays there, and a run goes on counting.
func TestMonths(t *testing.T) {
	s := newShop(t)
	east := time.FixedZone("east", 8*3600)
	s.now = time.Date(2026, 12, 1, 7, 59, 59, 0, east) // 23:59:59 on the last of November
	limited, book := s.worker(budget.Config{Tenant: budget.Limits{Tokens: 100}})
	r := reserve(t, limited, call(run, 100, 0))
	_, err := limited.Reserve(t.Context(), call(run, 1, 0))
	require.ErrorContains(t, err, "for 2026-11 (UTC)")

	s.now = time.Date(2026, 12, 1, 8, 0, 0, 0, east)
	reserve(t, limited, call(run, 60, 0))
	_, err = limited.Reserve(t.Context(), call(run, 41, 0))
	require.ErrorContains(t, err, "or wait until 2027-01-01")
	require.NoError(t, r.Settle(t.Context(), model.Usage{InputTokens: 90}), "in December")
	ofRun, all := s.spent(book)
	require.Equal(t, int64(150), ofRun.Tokens())
	require.Equal(t, int64(60), all.Tokens())

	s.now = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	_, all = s.spent(book)
	require.Equal(t, int64(90), all.Tokens())

	perRun, _ := s.worker(budget.Config{Run: budget.Limits{Tokens: 151}})
	s.now = time.Date(2027, 10, 31, 0, 0, 0, 0, time.UTC)
	_, err = perRun.Reserve(t.Context(), call(run, 2, 0))
	requireFault(t, err, faults.Permanent, "over_budget")
	s.now = time.Date(2027, 11, 1, 0, 0, 0, 0, time.UTC)
	reserve(t, perRun, call(run, 90, 0)) // November 2026 is a year ago
}

// What one worker has reserved counts for another at once, also when the first
// one is gone for good.
func TestReservationCountsAtOnceForEveryWorker(t *testing.T) {
	s := newShop(t)
	c := budget.Config{Tenant: budget.Limits{Tokens: 100}}
	first, _ := s.worker(c)
	second, _ := s.worker(c)
	reserve(t, second, call(run, 10, 0))
	r := reserve(t, first, call(run, 60, 0))
	_, err := second.Reserve(t.Context(), call(run, 31, 0))
	requireFault(t, err, faults.Permanent, "over_budget")
	require.NoError(t, r.Settle(t.Context(), model.Usage{InputTokens: 59}))
	reserve(t, second, call(run, 31, 0))

	s.now = s.now.Add(25 * time.Hour) // what nobody has settled by then stays as it is
	third, book := s.worker(c)
	_, err = third.Reserve(t.Context(), call(run, 1, 0))
	requireFault(t, err, faults.Permanent, "over_budget")
	_, all := s.spent(book)
	require.Equal(t, budget.Totals{Calls: 3, InputTokens: 100}, all)
}

// Within a process calls that are made at the same time stay within the limit
// together.
func TestCallsAtOnceStayWithinTheLimit(t *testing.T) {
	s := newShop(t)
	a, book := s.worker(budget.Config{Run: budget.Limits{Tokens: 100}})
	var allowed atomic.Int32
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			_, err := a.Reserve(t.Context(), call(run, 15, 0))
			if err == nil {
				allowed.Add(1)
				return
			}
			assert.Equal(t, faults.Permanent, faults.ClassOf(err))
		})
	}
	calls.Wait()
	require.Equal(t, int32(6), allowed.Load(), "6 times 15 is 90")
	ofRun, _ := s.spent(book)
	require.Equal(t, budget.Totals{Calls: 6, InputTokens: 90}, ofRun)
}

// entries is a store that counts, and that can be made to fail.
type entries struct {
	budget.Entries

	reads                atomic.Int32
	onPut, onGet, onList error
}

func (e *entries) PutNamed(ctx context.Context, tenant, name string, data []byte) error {
	if e.onPut != nil {
		return e.onPut
	}
	return e.Entries.PutNamed(ctx, tenant, name, data)
}

func (e *entries) GetNamed(ctx context.Context, tenant, name string, limit int64) ([]byte, error) {
	e.reads.Add(1)
	if e.onGet != nil {
		return nil, e.onGet
	}
	return e.Entries.GetNamed(ctx, tenant, name, limit)
}

func (e *entries) ListNamed(ctx context.Context, tenant, prefix string) ([]string, error) {
	if e.onList != nil {
		return nil, e.onList
	}
	return e.Entries.ListNamed(ctx, tenant, prefix)
}

// Nothing is spent that is not counted.
func TestStoreThatFailsAllowsNoCall(t *testing.T) {
	s := newShop(t)
	away := errors.New("PUT https://key:SECRET@store/x?signature=SECRET")
	for what, failing := range map[string]*entries{
		"write": {onPut: away}, "read": {onGet: away}, "list": {onList: away},
	} {
		failing.Entries = s.store
		ok, _ := s.worker(budget.Config{})
		reserve(t, ok, call(run, 1, 0))
		a, _ := s.workerOn(failing, budget.Config{Run: budget.Limits{Tokens: 1000}})
		r, err := a.Reserve(t.Context(), call(run, 1, 0))
		require.Nil(t, r, what)
		require.ErrorIs(t, requireFault(t, err, faults.Transient, "spend_unreachable"), away)
		require.NotContains(t, err.Error(), "SECRET")
	}
	a, _ := s.worker(budget.Config{Run: budget.Limits{Tokens: 1000}})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.Reserve(ended, call(run, 1, 0))
	requireFault(t, err, faults.Transient, faults.CodeInterrupted)
}

func TestSettlementThatFailsLeavesTheReservation(t *testing.T) {
	s := newShop(t)
	store := &entries{Entries: s.store}
	a, book := s.workerOn(store, budget.Config{})
	r := reserve(t, a, call(run, 70, 30))
	store.onPut = errors.New("away")
	requireFault(t, r.Settle(t.Context(), model.Usage{InputTokens: 1}), faults.Transient, "spend_unreachable")
	store.onPut = nil
	requireFault(t, r.Settle(t.Context(), model.Usage{InputTokens: -5}), faults.Permanent, "bad_usage")
	ofRun, _ := s.spent(book)
	require.Equal(t, int64(100), ofRun.Tokens())
	require.Empty(t, a.Cost(model.Usage{InputTokens: 5}), "no price")
}

func TestDamagedRecordIsNotCountedAsNothing(t *testing.T) {
	for what, damage := range map[string]func(s *shop, name string){
		"other bytes": func(s *shop, name string) {
			require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, "acme", "named", filepath.FromSlash(name)), []byte("{}"), 0o600))
		},
		"no record": func(s *shop, name string) {
			require.NoError(s.t, s.store.PutNamed(s.t.Context(), "acme", name, []byte(`{"format":"another/1"}`)))
		},
		"negative": func(s *shop, name string) {
			require.NoError(s.t, s.store.PutNamed(s.t.Context(), "acme", name,
				[]byte(`{"format":"holdpoint.spend/1","state":"settled","input_tokens":-100}`)))
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := newShop(t)
			a, _ := s.worker(budget.Config{Tenant: budget.Limits{Tokens: 1000}})
			reserve(t, a, call(run, 1, 0))
			names, err := s.store.ListNamed(t.Context(), "acme", "")
			require.NoError(t, err)
			damage(s, names[0])
			_, err = a.Reserve(t.Context(), call(run, 1, 0))
			require.ErrorContains(t, requireFault(t, err, faults.Permanent, "spend_damaged"), names[0])

			require.NoError(t, os.Remove(filepath.Join(s.dir, "acme", "named", filepath.FromSlash(names[0]))))
			reserve(t, a, call(run, 1, 0))
		})
	}
}

func TestRecordThatIsTakenAwayMeanwhileCountsNothing(t *testing.T) {
	s := newShop(t)
	store := &entries{Entries: s.store, onGet: fmt.Errorf("x: %w", blobs.ErrNotFound)}
	a, book := s.workerOn(store, budget.Config{Tenant: budget.Limits{Tokens: 10}})
	reserve(t, a, call(run, 10, 0))
	reserve(t, a, call(run, 10, 0))
	_, all := s.spent(book)
	require.Zero(t, all)
}

// A record is read as long as it can change, and no more.
func TestSettledRecordsAreReadOnce(t *testing.T) {
	s := newShop(t)
	store := &entries{Entries: s.store}
	a, _ := s.workerOn(store, budget.Config{Tenant: budget.Limits{Tokens: 1 << 40}})
	for range 10 {
		require.NoError(t, reserve(t, a, call(run, 10, 0)).Settle(t.Context(), model.Usage{InputTokens: 5}))
	}
	reserve(t, a, call(run, 10, 0)) // never settled
	store.reads.Store(0)
	reserve(t, a, call(run, 10, 0))
	require.Equal(t, int32(2), store.reads.Load(), "the one that is not settled, before the call is recorded and after")
	s.now = s.now.Add(25 * time.Hour)
	reserve(t, a, call(run, 10, 0)) // reads the two that are dead by now
	store.reads.Store(0)
	reserve(t, a, call(run, 10, 0))
	require.Equal(t, int32(2), store.reads.Load(), "the one before")
}

func TestCurrenciesAreNotAddedUp(t *testing.T) {
	s := newShop(t)
	dollars, _ := s.worker(prices(budget.Config{}))
	reserve(t, dollars, call(run, 1_000_000, 0))
	euros := prices(budget.Config{Tenant: budget.Limits{Cost: "10"}})
	euros.Currency = "EUR"
	a, book := s.worker(euros)
	_, err := a.Reserve(t.Context(), call(run, 1, 0))
	require.ErrorContains(t, requireFault(t, err, faults.Permanent, "spend_currency"), "is in EUR, and calls that count for it were paid in USD")
	_, all := s.spent(book)
	require.Equal(t, budget.Totals{Calls: 1, InputTokens: 1_000_000, Foreign: "USD"}, all)

	euros.Tenant = budget.Limits{Tokens: 2_000_000}
	a, _ = s.worker(euros)
	reserve(t, a, call(run, 1, 0)) // tokens are tokens
}

// What was paid then does not change with today's price.
func TestPriceOfThenStays(t *testing.T) {
	s := newShop(t)
	a, _ := s.worker(prices(budget.Config{}))
	require.NoError(t, reserve(t, a, call(run, 1, 1)).Settle(t.Context(), model.Usage{InputTokens: 1_000_000}))
	dearer := prices(budget.Config{})
	dearer.Prices["gpt-x"] = budget.Price{Input: "100", Output: "100"}
	_, book := s.worker(dearer)
	ofRun, _ := s.spent(book)
	require.Equal(t, "2.50", ofRun.Cost.String())
}

func TestMoneyIsLimitedOnlyWithAPrice(t *testing.T) {
	s := newShop(t)
	now := func(context.Context) time.Time { return s.now }
	for _, c := range []budget.Config{
		{Run: budget.Limits{Cost: "1"}}, {Tenant: budget.Limits{Cost: "1"}}, {Tenants: map[string]budget.Limits{"acme": {Cost: "1"}}},
	} {
		book, err := budget.New(s.store, prices(c))
		require.NoError(t, err)
		_, err = book.Account("gpt-y", now)
		require.ErrorContains(t, err, "budgets.prices has no price of the model gpt-y")
		_, err = book.Account("gpt-x", now)
		require.NoError(t, err)
	}
	book, err := budget.New(s.store, budget.Config{Run: budget.Limits{Tokens: 1}})
	require.NoError(t, err)
	_, err = book.Account("gpt-y", now)
	require.NoError(t, err)
	_, err = book.Account("gpt-y", nil)
	require.Error(t, err)
}
