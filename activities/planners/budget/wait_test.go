package budget_test

import (
	"context"
	"fmt"
	"math/rand/v2"
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
)

// underWay is a call that may last until then.
func underWay(c model.Call, until time.Time) model.Call {
	c.Until = until
	return c
}

// What is reserved for calls under way may be given back: it fails nobody. What they
// turn out to have used counts, and so does what nobody will settle.
func TestCallsUnderWayAreWaitedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		then func(t *testing.T, s *shop, r model.Reservation)
		code string // of the next one's fault; none: it is allowed
	}{
		"still there":     {func(*testing.T, *shop, model.Reservation) {}, "budget_reserved"},
		"used less":       {func(t *testing.T, _ *shop, r model.Reservation) { settle(t, r, 20) }, ""},
		"used it all":     {func(t *testing.T, _ *shop, r model.Reservation) { settle(t, r, 60) }, "over_budget"},
		"turned away":     {func(t *testing.T, _ *shop, r model.Reservation) { settle(t, r, 0) }, ""},
		"lost":            {func(t *testing.T, _ *shop, r model.Reservation) { require.NoError(t, r.Keep(t.Context())) }, "over_budget"},
		"nearly over":     {func(_ *testing.T, s *shop, _ model.Reservation) { s.now = s.now.Add(20*time.Minute - 1) }, "budget_reserved"},
		"its worker died": {func(_ *testing.T, s *shop, _ model.Reservation) { s.now = s.now.Add(20 * time.Minute) }, "over_budget"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			c := budget.Config{Tenant: budget.Limits{Tokens: 100}}
			first, _ := s.worker(c)
			second, _ := s.worker(c)
			r := reserve(t, first, underWay(call(run, 60, 0), s.now.Add(20*time.Minute)))
			tt.then(t, s, r)
			for range 2 {
				_, err := second.Reserve(t.Context(), call("acme/other", 41, 0))
				switch tt.code {
				case "":
					require.NoError(t, err)
					return
				case "over_budget":
					requireFault(t, err, faults.Permanent, "over_budget")
				default:
					require.Contains(t, requireFault(t, err, faults.Transient, tt.code).Reason,
						"the budget of tenant acme for 2026-11 (UTC) (budgets.tenant) has no room for this call while others' calls are under way")
					require.True(t, faults.Waits(err))
				}
			}
			third, book := s.worker(c)
			_, all := s.spent(book)
			require.Equal(t, 1, all.Calls, "what is not made leaves no record")
			reserve(t, third, call(run, 40, 0)) // for which there is room in any case
		})
	}
}

func settle(t *testing.T, r model.Reservation, input int64) {
	t.Helper()
	require.NoError(t, r.Settle(t.Context(), model.Usage{InputTokens: input}))
}

// What keeps the room is said as it is: a run whose own worker died is not told of
// others.
func TestWhoseCallsAreUnderWayIsSaid(t *testing.T) {
	const others = "while others' calls are under way"
	const earlier = "calls of an earlier attempt of this run, whose worker ended without a word, count as under way until 2026-11-29T12:20:00Z, for which"
	for name, tt := range map[string]struct {
		limits budget.Config
		before []string // the runs, each with a call that ends a minute after the one before; the last is at 12:20
		says   []string
		not    string
	}{
		"its own, of the run's budget":    {budget.Config{Run: budget.Limits{Tokens: 100}}, []string{run}, []string{"budget of run " + run, "while the " + earlier}, others},
		"its own, of the tenant's budget": {budget.Config{Tenant: budget.Limits{Tokens: 100}}, []string{run, run}, []string{"while the " + earlier}, others},
		"others'":                         {budget.Config{Tenant: budget.Limits{Tokens: 100}}, []string{"acme/a", "acme/b"}, []string{others + ", for which"}, "earlier attempt"},
		"both":                            {budget.Config{Tenant: budget.Limits{Tokens: 100}}, []string{"acme/a", run}, []string{others + " and the " + earlier}, "while the calls"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			dead, _ := s.worker(budget.Config{})
			for i, of := range tt.before {
				until := s.now.Add(20*time.Minute - time.Duration(len(tt.before)-1-i)*time.Minute)
				reserve(t, dead, underWay(call(of, 60/int64(len(tt.before)), 0), until))
			}
			next, _ := s.worker(tt.limits)
			_, err := next.Reserve(t.Context(), call(run, 41, 0))
			reason := requireFault(t, err, faults.Transient, "budget_reserved").Reason
			for _, text := range tt.says {
				require.Contains(t, reason, text)
			}
			require.NotContains(t, reason, tt.not)
		})
	}
}

// A call that never fits is refused at once, whoever else is at work.
func TestCallThatNeverFitsDoesNotWait(t *testing.T) {
	s := newShop(t)
	a, _ := s.worker(prices(budget.Config{Tenant: budget.Limits{Cost: "1"}}))
	reserve(t, a, underWay(call(run, 100_000, 0), s.now.Add(time.Hour))) // 0.25
	_, err := a.Reserve(t.Context(), call("acme/other", 400_001, 0))     // 1.0000025
	requireFault(t, err, faults.Permanent, "over_budget")
	_, err = a.Reserve(t.Context(), call("acme/other", 400_000, 0))
	requireFault(t, err, faults.Transient, "budget_reserved")
}

// Runs that ask at the same moment, in several processes, are all served when there
// is room for what they use, and together never have more than the limit.
func TestParallelRunsOfSeveralWorkersStayWithinTheLimitAndNoneFails(t *testing.T) {
	s := newShop(t)
	const limit, most, used, runs = 250, 100, 20, 8 // 7 times 20 leave room for the eighth, and 8 times 20 for no ninth
	var reservedNow, served atomic.Int64
	var talks sync.WaitGroup
	for n := range runs {
		a, _ := s.worker(budget.Config{Tenant: budget.Limits{Tokens: limit}}) // a process of its own
		talks.Go(func() {
			c := underWay(call(fmt.Sprint("acme/", n), most, 0), s.now.Add(time.Hour))
			for attempts := 0; ; attempts++ {
				r, err := a.Reserve(t.Context(), c)
				if err != nil {
					if !assert.True(t, faults.Waits(err), "%v", err) {
						return
					}
					time.Sleep(rand.N(20 * time.Millisecond)) // apart, as Temporal spreads attempts
					continue
				}
				assert.LessOrEqual(t, reservedNow.Add(most), int64(limit))
				reservedNow.Add(used - most)
				assert.NoError(t, r.Settle(t.Context(), model.Usage{InputTokens: used}))
				served.Add(1)
				return
			}
		})
	}
	talks.Wait()
	require.EqualValues(t, runs, served.Load())
	last, book := s.worker(budget.Config{Tenant: budget.Limits{Tokens: limit}})
	_, all := s.spent(book)
	require.Equal(t, int64(runs*used), all.Tokens())
	_, err := last.Reserve(t.Context(), underWay(call("acme/ninth", most, 0), s.now.Add(time.Hour)))
	requireFault(t, err, faults.Permanent, "over_budget")
}

// The second look: another process has recorded a call since the first.
func TestCallThatIsRecordedAtTheSameMomentIsSeen(t *testing.T) {
	other := strings.Repeat("cd", 32)
	for name, tt := range map[string]struct {
		limits budget.Limits
		change func(*model.Call)
		code   string
	}{
		"budget": {budget.Limits{Tokens: 100}, func(*model.Call) {}, "budget_reserved"},
		"tries":  {budget.Limits{}, func(c *model.Call) { c.Tries = 2 }, "asked_elsewhere"},
		"room":   {budget.Limits{Tokens: 200}, func(c *model.Call) { c.Tries = 3 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			c := underWay(call(run, 60, 0), s.now.Add(time.Hour))
			c.Question = []string{other, c.Key}
			tt.change(&c)
			reserve(t, must(s.worker(budget.Config{})), of(call(run, 1, 0), "acme", other))
			rival := must(s.worker(budget.Config{}))
			store := &rivaled{Entries: s.store, rival: func() { reserve(t, rival, underWay(call(run, 60, 0), s.now.Add(time.Hour))) }}
			a, book := s.workerOn(store, budget.Config{Tenant: tt.limits})
			r, err := a.Reserve(t.Context(), c)
			made, madeErr := a.Made(t.Context(), "acme", run, c.Question)
			require.NoError(t, madeErr)
			if tt.code == "" {
				require.NoError(t, err)
				require.Equal(t, 3, made)
				return
			}
			require.Nil(t, r)
			requireFault(t, err, faults.Transient, tt.code)
			require.True(t, faults.Waits(err))
			require.Equal(t, 2, made, "it is given back")
			_, all := s.spent(book)
			require.Equal(t, int64(61), all.Tokens())
		})
	}
}

func must(a *budget.Account, _ *budget.Book) *budget.Account { return a }

// rivaled is a store on which another process records right before the first write.
type rivaled struct {
	budget.Entries

	once  sync.Once
	rival func()
}

func (r *rivaled) PutNamed(ctx context.Context, tenant, name string, data []byte) error {
	r.once.Do(r.rival)
	return r.Entries.PutNamed(ctx, tenant, name, data)
}

// A reply that is found stored says what its call cost, where its worker could not.
func TestStoredReplySettlesTheCallThatBoughtIt(t *testing.T) {
	u := model.Usage{InputTokens: 7}
	c := call(run, 60, 0)
	for name, tt := range map[string]struct {
		before func(t *testing.T, s *shop, a *budget.Account)
		tokens int64
	}{
		"no record":       {func(*testing.T, *shop, *budget.Account) {}, 0},
		"its worker died": {func(t *testing.T, _ *shop, a *budget.Account) { reserve(t, a, c) }, 7},
		"settled":         {func(t *testing.T, _ *shop, a *budget.Account) { settle(t, reserve(t, a, c), 5) }, 5},
		"another was lost before": {func(t *testing.T, s *shop, a *budget.Account) {
			reserve(t, a, call(run, 30, 0))
			s.now = s.now.Add(time.Hour)
			reserve(t, a, c)
		}, 37},
		"another was lost before, and the reply's is settled": {func(t *testing.T, s *shop, a *budget.Account) {
			reserve(t, a, c)
			s.now = s.now.Add(time.Hour)
			settle(t, reserve(t, a, c), 5)
		}, 65},
		"one was turned away after": {func(t *testing.T, s *shop, a *budget.Account) {
			reserve(t, a, c)
			s.now = s.now.Add(time.Hour)
			settle(t, reserve(t, a, c), 0)
		}, 7},
		"two days later": {func(t *testing.T, s *shop, a *budget.Account) {
			reserve(t, a, c)
			s.now = s.now.Add(48 * time.Hour)
			_, err := a.Made(t.Context(), "acme", run, []string{key}) // which reads it
			require.NoError(t, err)
		}, 7},
		"of other requests": {func(t *testing.T, _ *shop, a *budget.Account) {
			reserve(t, a, of(c, "acme", strings.Repeat("cd", 32)))
			reserve(t, a, call("acme/other", 60, 0))
		}, 120},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			a, book := s.worker(budget.Config{})
			tt.before(t, s, a)
			for range 2 {
				require.NoError(t, a.SettleStored(t.Context(), "acme", run, key, u))
			}
			for _, b := range []*budget.Book{book, second(s.worker(budget.Config{}))} {
				_, november, err := b.Spent(t.Context(), "acme", run, time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
				require.NoError(t, err)
				ofRun, december := s.spent(b)
				if s.now.Month() == time.December {
					require.Zero(t, december)
					require.Equal(t, tt.tokens, ofRun.Tokens())
				}
				require.Equal(t, tt.tokens, november.Tokens())
			}
		})
	}
}

func second(_ *budget.Account, b *budget.Book) *budget.Book { return b }
