package kindtest

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The matrix waits more than it works: what may run beside each other is no
// matter of processors.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// fake is a subject of a class, over TCP, as honest as it is made.
func fake(t *testing.T, class plan.DeliveryClass, change func(*target, *client)) Subject {
	t.Helper()
	server := newTarget(t)
	link := NewLink(t, server.address)
	c := &client{address: link.Addr(), spec: tools.Spec{
		Name: "fake", Version: "1", Class: class, CallTimeout: 300 * time.Millisecond, Settle: 50 * time.Millisecond,
	}}
	if class == plan.Keyed {
		c.spec.KeyWindow = time.Hour
	}
	server.forgets = class == plan.Lookup || class == plan.Once
	if change != nil {
		change(server, c)
	}
	s := Subject{Tool: c, Link: link, Sent: "put ", Action: actionFor, Effects: server.count, TellsPayload: true}
	if class == plan.Lookup {
		s.Tool = finding{client: c}
	}
	return s
}

func TestMatrixAcceptsWhatIsTrue(t *testing.T) {
	t.Parallel()
	for _, class := range []plan.DeliveryClass{plan.Transactional, plan.Conditional, plan.Keyed, plan.Lookup, plan.Once} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			Matrix(t, func(t *testing.T) Subject { return fake(t, class, nil) })
		})
	}
	t.Run("KeyedOutsideItsWindow", func(t *testing.T) {
		t.Parallel()
		Matrix(t, func(t *testing.T) Subject {
			return fake(t, plan.Keyed, func(s *target, c *client) { s.forgets, c.spec.KeyWindow = true, time.Millisecond })
		})
	})
	t.Run("KeyedOutsideItsWindowThatFinds", func(t *testing.T) {
		t.Parallel()
		Matrix(t, func(t *testing.T) Subject {
			s := fake(t, plan.Keyed, func(s *target, c *client) { s.forgets, c.spec.KeyWindow = true, time.Millisecond })
			s.Tool = finding{client: s.Tool.(*client)}
			return s
		})
	})
	t.Run("LookupThatIsNotAuthoritative", func(t *testing.T) {
		t.Parallel()
		notProven := tools.NotProven
		Matrix(t, func(t *testing.T) Subject {
			s := fake(t, plan.Lookup, nil)
			s.Tool, s.NotAuthoritative = finding{s.Tool.(finding).client, &notProven}, true
			return s
		})
	})
	t.Run("KeyedThatCannotTellPayloads", func(t *testing.T) {
		t.Parallel()
		Matrix(t, func(t *testing.T) Subject {
			s := fake(t, plan.Keyed, func(s *target, _ *client) { s.accepts = true })
			s.TellsPayload = false
			return s
		})
	})
	t.Run("WithoutANetwork", func(t *testing.T) {
		t.Parallel()
		Matrix(t, func(t *testing.T) Subject {
			s := fake(t, plan.Conditional, nil)
			s.Link = nil
			return s
		})
	})
}

// Each lie is found by the case that is about it. A lie that no case finds
// would be a hole in every kind's test.
func TestMatrixFindsLies(t *testing.T) {
	t.Parallel()
	presence := func(p tools.Presence) func(*Subject) {
		return func(s *Subject) { s.Tool = finding{s.Tool.(finding).client, &p} }
	}
	tests := []struct {
		lie     string
		class   plan.DeliveryClass
		foundBy []string
		change  func(*target, *client)
		wrap    func(*Subject)
	}{
		{
			lie: "a target that does not know keys", class: plan.Keyed,
			foundBy: []string{"KilledAfterEffect", "AnswerLost", "AnswerCut", "AnswerReset", "KeyKnownAtTarget_SamePayload", "KeyKnownAtTarget_OtherPayload"},
			change:  func(s *target, _ *client) { s.forgets = true },
		},
		{
			lie: "silence is success", class: plan.Once, foundBy: []string{"AnswerLost", "AnswerCut", "AnswerReset"},
			change: func(_ *target, c *client) { c.guesses = true },
		},
		{
			lie: "silence is nothing", class: plan.Once, foundBy: []string{"AnswerLost", "AnswerCut", "AnswerReset"},
			change: func(_ *target, c *client) { c.retryable = true },
		},
		{
			lie: "the tool sends again by itself", class: plan.Once, foundBy: []string{"AnswerCut", "AnswerReset"},
			change: func(_ *target, c *client) { c.resends = true },
		},
		{
			lie: "a refused connection is a doubt", class: plan.Once, foundBy: []string{"TargetDown"},
			change: func(_ *target, c *client) { c.unknownDial = true },
		},
		{
			lie: "half a receipt", class: plan.Transactional, foundBy: []string{"NothingGoesWrong"},
			change: func(_ *target, c *client) { c.noRef = true },
		},
		{
			lie: "another receipt each time", class: plan.Transactional, foundBy: []string{"KilledAfterEffect"},
			change: func(_ *target, c *client) { c.newRef = true },
		},
		{
			lie: "a conflict is success", class: plan.Conditional, foundBy: []string{"KeyKnownAtTarget_OtherPayload"},
			change: func(_ *target, c *client) { c.swallows = true },
		},
		{
			lie: "a look that never sees", class: plan.Lookup, foundBy: []string{"KilledAfterEffect", "AnswerLost", "AnswerCut", "AnswerReset"},
			wrap: presence(tools.Absent),
		},
		{
			lie: "a look that always sees", class: plan.Lookup, foundBy: []string{"KilledBeforeSend"}, wrap: presence(tools.Found),
		},
		{
			lie: "a look that proves nothing, and should", class: plan.Lookup, foundBy: []string{"KilledBeforeSend"}, wrap: presence(tools.NotProven),
		},
		{
			lie: "a look that rules out what it cannot", class: plan.Lookup, foundBy: []string{"KilledBeforeSend"},
			wrap: func(s *Subject) { s.NotAuthoritative = true },
		},
	}
	for _, tt := range tests {
		t.Run(tt.lie, func(t *testing.T) {
			t.Parallel()
			for _, c := range cases() {
				if !slices.Contains(tt.foundBy, c.name) {
					continue
				}
				s := fake(t, tt.class, tt.change)
				if tt.wrap != nil {
					tt.wrap(&s)
				}
				said := run(t, func(tb testing.TB) { c.run(newTrial(tb, s)) })
				require.NotEmpty(t, said, "%s does not find it", c.name)
				t.Logf("%s: %s", c.name, said[0])
			}
		})
	}
}

// A subject that would make the matrix say nothing is refused.
func TestMatrixRefusesASubjectThatProvesNothing(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Subject)
	}{
		{"no time limit", func(s *Subject) { s.Tool.(*client).spec.CallTimeout = 0 }},
		{"longer waits than a test should take", func(s *Subject) { s.Tool.(*client).spec.Settle = time.Hour }},
		{"a window that may close in the middle", func(s *Subject) { s.Tool.(*client).spec.KeyWindow = 10 * time.Second }},
		{"one payload", func(s *Subject) { s.Action = func(key string, _ int) plan.Action { return actionFor(key, 1) } }},
		{"another key", func(s *Subject) { s.Action = func(_ string, p int) plan.Action { return actionFor("x", p) } }},
		{"a text that is never sent", func(s *Subject) { s.Sent = "commit" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fake(t, plan.Keyed, nil)
			tt.change(&s)
			require.NotEmpty(t, run(t, func(tb testing.TB) { answerLost(newTrial(tb, s)) }))
		})
	}
}

// recorder is a test whose failure is wanted.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Logf(string, ...any) {}
func (r *recorder) FailNow()            { runtime.Goexit() }

// run returns what a check said against its subject.
func run(t *testing.T, check func(testing.TB)) []string {
	t.Helper()
	r := &recorder{TB: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		check(r)
	}()
	<-ended
	return r.said
}
