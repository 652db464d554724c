package model

import (
	"cmp"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// Limits bound what one plan may cost and hold. A field that is zero has its
// default.
//
// The model's context has to hold InputTokens and twice OutputTokens: asking
// again repeats the last reply.
//
// Feedback has at most half of what InputTokens leaves beside instructions, schema,
// tools and goal: the latest first, each whole; the latest is shown in any case, and
// cut when it does not fit by itself. The earlier plan has at most a quarter of all
// and half of what then is left.
//
// The documents share the rest by this rule. They are taken in the manifest's
// order for as long as each can have 200 tokens, or all of its own if it is
// shorter; those after are left out. Those taken get equal shares, and what short
// ones leave of theirs goes to the longer. One that is longer than its share is
// cut after the last line that fits, or within its first.
type Limits struct {
	// InputTokens bounds what is sent with the first question, as estimated: four
	// ASCII bytes are one, any other letter is one; default 60,000.
	InputTokens int
	// OutputTokens is the most that one reply can have, as the engine is set;
	// default 16,000.
	OutputTokens int
	// Asks is how often the model is asked again for one plan; default 2, negative
	// never.
	Asks int
	// Tries is how many calls one conversation is worth whose answers are none, or
	// are lost, over all attempts; default 4.
	Tries int
	// Actions bounds a plan; default 200, and never more than plan.MaxActions.
	Actions int
	// Retry is the wait between attempts that a server's trouble ended. The default
	// begins with 2 s, ends with 1 min, and grants a server the 10 min it asks for.
	// After a lost answer the waits grow faster.
	Retry faults.Retry
}

// mostAfterLost bounds the wait after a lost answer.
const mostAfterLost = 5 * time.Minute

// afterLost is the wait after so many lost answers to a question: below 2 s, 10 s,
// 50 s and so on by default, up to 5 min. There are few tries, and what loses
// answers, such as a gateway whose model starts again, is given time between them.
func (l Limits) afterLost(n int) faults.Retry {
	wait := l.Retry
	for range n - 1 {
		wait.Base = min(wait.Base*5, max(mostAfterLost, l.Retry.Base))
	}
	wait.Max = wait.Base
	return wait
}

// DefaultLimits are those of a planner that is told nothing else.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

func (l Limits) withDefaults() Limits {
	l.InputTokens = cmp.Or(l.InputTokens, 60_000)
	l.OutputTokens = cmp.Or(l.OutputTokens, 16_000)
	l.Asks = max(cmp.Or(l.Asks, 2), 0)
	l.Tries = cmp.Or(l.Tries, 4)
	l.Actions = cmp.Or(l.Actions, 200)
	l.Retry.Base = cmp.Or(l.Retry.Base, 2*time.Second)
	l.Retry.Max = cmp.Or(l.Retry.Max, time.Minute)
	l.Retry.MaxAfter = cmp.Or(l.Retry.MaxAfter, 10*time.Minute)
	return l
}
