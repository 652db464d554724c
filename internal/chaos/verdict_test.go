package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// What a campaign must not let pass.
func TestVerdictFindsWhatIsWrong(t *testing.T) {
	findable, lone := tool{name: "pages", class: plan.Conditional}, tool{name: "letters", class: plan.Once, mayStayUnknown: true}
	for name, tt := range map[string]struct {
		action action
		want   string // in what is wrong; nothing is when empty
	}{
		"once":                     {action{tool: findable, effects: 1, attempts: 2}, ""},
		"twice":                    {action{tool: findable, effects: 2, attempts: 2}, "duplicate: "},
		"never":                    {action{tool: findable, attempts: 2}, "lost: "},
		"a doubt of no need":       {action{tool: findable, effects: 1, doubted: true}, "needed a person"},
		"a doubt":                  {action{tool: lone, effects: 1, doubted: true, unheard: true}, ""},
		"sent on a guess":          {action{tool: lone, effects: 1, attempts: 2, unheard: true}, "on a guess: "},
		"a fault that hit nothing": {action{tool: lone, effects: 1, attempts: 1}, "hit nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			v := &verdict{}
			tt.action.fault = "kill -9 at random"
			v.add(map[string]int{}, &tt.action)
			v.conclude(campaign{}, &stage{})
			if tt.want == "" {
				require.Empty(t, v.bad)
				return
			}
			require.Len(t, v.bad, 1)
			require.Contains(t, v.bad[0], tt.want)
		})
	}
	v := &verdict{}
	v.conclude(campaign{kills: 1}, &stage{})
	require.Len(t, v.bad, 1)
	require.Contains(t, v.bad[0], "only 0 workers were killed")
}
