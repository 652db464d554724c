package scene

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
)

// Step is an action that the planner proposes.
type Step struct {
	id      string
	payment Payment
	after   []string
}

// Pay is an action that pays an amount into an account. Its id is the
// account's name.
func Pay(account string, amount int) Step {
	return Step{id: account, payment: Payment{Account: account, Amount: amount}}
}

// After lets the action begin when those of that id are done.
func (s Step) After(ids ...string) Step {
	s.after = ids
	return s
}

// script is the planner: what each run's plan is, and what it becomes after
// each revision that an approver asks for. It counts how often it was asked.
type script struct {
	mu    sync.Mutex
	plans map[string][][]Step // by business id
	asked map[string]int
}

func newScript() *script { return &script{plans: map[string][][]Step{}, asked: map[string]int{}} }

func (s *script) write(businessID string, plans [][]Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plans[businessID] = plans
}

func (s *script) timesAsked(businessID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[businessID]
}

// Name implements planners.Planner.
func (*script) Name() string { return "script" }

// Version implements planners.Planner.
func (*script) Version() string { return "1" }

// Plan implements planners.Planner: the plan after as many revisions as there
// is feedback, or the last one.
func (s *script) Plan(_ context.Context, r planners.Request) (planners.Draft, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[r.BusinessID]++
	plans := s.plans[r.BusinessID]
	if len(plans) == 0 {
		return planners.Draft{}, &faults.Fault{Class: faults.Permanent, Code: "no_script", Reason: "the scene has no plan for this run"}
	}
	var draft planners.Draft
	for _, step := range plans[min(len(r.Feedback), len(plans)-1)] {
		parameters, err := json.Marshal(step.payment)
		if err != nil {
			return planners.Draft{}, err
		}
		draft.Actions = append(draft.Actions, planners.DraftAction{
			ID: step.id, DependsOn: step.after, Proposal: tools.Proposal{Tool: ToolName, Parameters: parameters, AllowedTarget: bankName},
		})
	}
	return draft, nil
}
