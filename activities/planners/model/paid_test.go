package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/model"
)

// killed runs an attempt whose worker dies in it.
func killed(s *scene) { _, _ = s.plan(request()) }

func TestAWorkerThatDiesBeforeTheStorePaysTwice(t *testing.T) {
	s := newScene(t, good)
	s.replies.before = func() { panic("SIGKILL") }
	require.Panics(t, func() { killed(s) })
	s.replies.before = nil
	draft, err := s.plan(request())
	require.NoError(t, err)
	require.Equal(t, 2, s.server.calls())
	require.EqualValues(t, 2, s.meter.counts["model_calls"], "and both are counted")
	require.Len(t, s.spend.calls, 2)
	require.NotContains(t, s.spend.settled, 0, "the first counts as much as it can have used")
	require.Equal(t, model.Usage{InputTokens: 100, OutputTokens: 10}, s.spend.settled[1])
	require.Equal(t, s.spend.calls[0].Key, s.spend.calls[1].Key)
	require.Equal(t, 1, draft.Usage.Calls)
}

func TestAWorkerThatDiesAfterTheStorePaysOnce(t *testing.T) {
	s := newScene(t, good)
	s.replies.after = func() { panic("SIGKILL") }
	require.Panics(t, func() { killed(s) })
	s.replies.after = nil
	draft, err := s.plan(request())
	require.NoError(t, err)
	require.Equal(t, 1, s.server.calls())
	require.EqualValues(t, 1, s.meter.counts["model_calls"])
	require.EqualValues(t, 1, s.meter.counts["model_stored_hits"])
	require.Len(t, s.spend.calls, 1)
	require.Equal(t, map[int]model.Usage{0: {InputTokens: 100, OutputTokens: 10}}, s.spend.settled, "what the dead worker could not say")
	require.Equal(t, planners.Usage{Stored: 1, InputTokens: 100, OutputTokens: 10, Cost: "110 USD"}, draft.Usage)

	again, err := s.plan(request())
	require.NoError(t, err)
	require.Equal(t, draft, again, "the same draft, whoever makes it")
}

// An answer that is here is stored, also when the step is told to end meanwhile.
func TestAnInterruptedStepKeepsItsAnswer(t *testing.T) {
	s := newScene(t, good)
	ctx, cancel := context.WithCancel(t.Context())
	s.replies.before = cancel
	r := request()
	_, err := s.planner.Plan(ctx, r)
	require.NoError(t, err)
	require.Len(t, s.replies.bodies, 1)

	other := newScene(t, good)
	_, err = other.planner.Plan(ctx, r)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.Zero(t, other.server.calls(), "and none is asked for afterwards")
	require.Empty(t, other.spend.calls)
}

// What makes two questions the same one.
func TestKeyOfARequest(t *testing.T) {
	key := func(change func(*planners.Request)) string {
		s := newScene(t, good)
		r := request()
		change(&r)
		_, err := s.plan(r)
		require.NoError(t, err)
		return s.spend.calls[0].Key
	}
	same := key(func(*planners.Request) {})
	require.Regexp(t, "^[0-9a-f]{64}$", same)
	require.Equal(t, same, key(func(r *planners.Request) { r.BusinessID = "not sent, and not part of it" }))
	seen := map[string]string{same: "the request"}
	for name, change := range map[string]func(*planners.Request){
		"tenant":        func(r *planners.Request) { r.Tenant = "other" },
		"run":           func(r *planners.Request) { r.RunID = "acme/daily" },
		"started again": func(r *planners.Request) { r.Execution = "another" },
		"revision":      func(r *planners.Request) { r.Revision = 1 },
		"goal":          func(r *planners.Request) { r.Goal += "!" },
		"document":      func(r *planners.Request) { r.Documents[0].Text += "More.\n" },
		"feedback":      func(r *planners.Request) { r.Feedback = []string{"shorter"} },
		"targets":       func(r *planners.Request) { r.Targets = r.Targets[1:] },
	} {
		k := key(change)
		require.Empty(t, seen[k], "%s and %s", name, seen[k])
		seen[k] = name
	}
}

// The tenant's own place, and the tenant's own reply.
func TestTenantsShareNoReply(t *testing.T) {
	s := newScene(t, good)
	for _, tenant := range []string{"acme", "other"} {
		r := request()
		r.Tenant = tenant
		_, err := s.plan(r)
		require.NoError(t, err)
	}
	require.Equal(t, 2, s.server.calls())
	for place := range s.replies.bodies {
		require.Regexp(t, "^(acme|other)/", place)
	}
}

func TestOverBudgetIsNoCall(t *testing.T) {
	s := newScene(t, "no plan", good)
	s.spend.limit = 1
	_, err := s.attempts(request())
	s.refusedAs(err, "over_budget", "the run may spend no more")
	require.Equal(t, 1, s.server.calls())
	require.EqualValues(t, 1, s.meter.counts["model_calls"])
}

// What is reserved is what is sent, and the most that can come back.
func TestReservations(t *testing.T) {
	s := newSceneWithin(t, model.Limits{OutputTokens: 777}, good)
	_, err := s.plan(request())
	require.NoError(t, err)
	c := s.server.heard[0]
	sent := model.EstimateTokens(c.System + c.Messages[0].Text + string(c.Schema))
	key := s.spend.calls[0].Key
	require.Equal(t, []model.Call{{Tenant: "acme", RunID: "acme/weekly", Key: key, Question: []string{key}, Tries: 4,
		Most: model.Usage{InputTokens: int64(sent), OutputTokens: 777}}}, s.spend.calls)
}

// Others wait for what a call gives back for as long as the attempt can last.
func TestACallIsOverWithItsAttempt(t *testing.T) {
	s := newScene(t, good)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	_, err := s.planner.Plan(ctx, request())
	require.NoError(t, err)
	until, _ := ctx.Deadline()
	require.Equal(t, until, s.spend.calls[0].Until)
}

// While others' calls are under way nothing is asked, and none of the step's attempts
// is spent.
func TestACallWaitsForOthers(t *testing.T) {
	s := newScene(t, good)
	s.spend.waits = 3
	for range 3 {
		_, err := s.plan(request())
		require.True(t, faults.Waits(err))
		paced, ok := errors.AsType[*faults.Paced](err)
		require.True(t, ok)
		require.Equal(t, time.Minute, paced.Retry.Max, "as long as calls take")
		require.Zero(t, s.server.calls())
	}
	_, err := s.plan(request())
	require.NoError(t, err)
	require.Equal(t, 1, s.server.calls())
}

// A call of which nobody will say what it used is known to be over.
func TestWhatNobodyWillSettleIsKept(t *testing.T) {
	for name, tt := range map[string]struct {
		first any
		store error
		kept  []int
	}{
		"said":         {good, nil, nil},
		"lost":         {cut(), nil, []int{0}},
		"not stored":   {good, errors.New("disk full"), []int{0}},
		"no answer":    {"<html>", nil, []int{0}},
		"not reported": {envelope{Text: good, Stop: model.Ended}, nil, []int{0}},
		"turned away":  {busy(), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, tt.first, good)
			s.replies.fails = tt.store
			_, _ = s.plan(request())
			s.replies.fails = nil
			_, err := s.plan(request())
			require.NoError(t, err)
			require.Equal(t, tt.kept, s.spend.kept)
		})
	}
}

// A call without an answer: what it cost depends on what is known of it.
func TestFaultsOfTheEngine(t *testing.T) {
	for _, tt := range []struct {
		class faults.Class
		freed bool
	}{{faults.Transient, true}, {faults.Throttled, true}, {faults.Permanent, true}, {faults.Unknown, false}} {
		t.Run(tt.class.String(), func(t *testing.T) {
			s := newScene(t, &faults.Fault{Class: tt.class, Code: "http_429", Reason: "model: slow down", RetryAfter: 7 * time.Minute}, good)
			_, err := s.plan(request())
			fault := faults.Name(err)
			require.Equal(t, tt.class, fault.Class)
			require.Equal(t, "http_429", fault.Code)
			require.Equal(t, 7*time.Minute, fault.RetryAfter)
			used, settled := s.spend.settled[0]
			require.Equal(t, tt.freed, settled)
			require.Zero(t, used)
			require.Empty(t, s.replies.bodies)
			if paced, ok := errors.AsType[*faults.Paced](err); tt.class != faults.Permanent {
				require.True(t, ok)
				require.GreaterOrEqual(t, paced.Retry.MaxAfter, 7*time.Minute, "the server's wait is kept")
			}
			_, err = s.plan(request())
			require.NoError(t, err)
			require.Equal(t, 2, s.server.calls())
			require.Equal(t, s.spend.calls[0].Key, s.spend.calls[1].Key, "the same question")
		})
	}
}

func TestPlannersThatAreRefused(t *testing.T) {
	whole := model.Config{Name: "writer", Engine: &server{}, Replies: &memory{}, Spend: &book{}}
	_, err := model.New(whole)
	require.NoError(t, err)
	for want, change := range map[string]func(*model.Config){
		"a planner's name":       func(c *model.Config) { c.Name = "Writer" },
		"1 to 64":                func(c *model.Config) { c.Name = strings.Repeat("a", 65) },
		"an engine":              func(c *model.Config) { c.Engine = nil },
		"a store for replies":    func(c *model.Config) { c.Replies = nil },
		"records of what is spe": func(c *model.Config) { c.Spend = nil },
		"not negative":           func(c *model.Config) { c.Limits.Tries = -1 },
		"at most 1000 actions":   func(c *model.Config) { c.Limits.Actions = 1001 },
		"limits are not negativ": func(c *model.Config) { c.Limits.InputTokens = -5 },
	} {
		c := whole
		change(&c)
		_, err := model.New(c)
		require.ErrorContains(t, err, want)
	}
	s := newScene(t, good)
	r := request()
	r.Targets = nil
	_, err = s.plan(r)
	s.refusedAs(err, "no_tools", "the task allows no tool")
	require.Zero(t, s.server.calls())
}
