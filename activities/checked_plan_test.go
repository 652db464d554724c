package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/workflows"
)

// asking is a planner that, when its proposal cannot be planned, makes the next.
type asking struct {
	proposals [][]planners.DraftAction
	heard     []error
}

func (*asking) Name() string    { return "asking" }
func (*asking) Version() string { return "1" }

func (p *asking) Plan(ctx context.Context, r planners.Request) (planners.Draft, error) {
	for _, actions := range p.proposals {
		err := r.Check(ctx, actions)
		if err == nil {
			return planners.Draft{Actions: actions}, nil
		}
		p.heard = append(p.heard, err)
	}
	return planners.Draft{}, p.heard[len(p.heard)-1]
}

// Whatever would end the step when the plan is made, the planner hears of in time.
func TestAPlannerHearsOfAllThatWouldEndTheStep(t *testing.T) {
	h := newHouse(t)
	h.use(h.pages, quick{})
	waits := func(a planners.DraftAction, ids ...string) planners.DraftAction {
		a.DependsOn = ids
		return a
	}
	planner := &asking{}
	asked := task()
	asked.Planner, asked.Tools = "asking", append(asked.Tools, workflows.ToolUse{Tool: "quick", Target: "things"})
	h.acts.Planners["asking"] = planner

	var chain []planners.DraftAction // each after all before it: more than the history carries
	var ids []string
	for i := range 600 {
		draft := quickAction(i, "")
		draft.ID, draft.DependsOn = fmt.Sprint("a", i), slices.Clip(ids)
		chain, ids = append(chain, draft), append(ids, draft.ID)
	}
	var heavy []planners.DraftAction // 6 MiB each of parameters, targets and previews
	for i := range 6 {
		heavy = append(heavy, quickAction(i, strings.Repeat("x", 1<<20)))
	}
	for _, tt := range []struct {
		code, says string
		id         string // of the action that it is about; empty when it is about none
		actions    []planners.DraftAction
	}{
		{"bad_plan", "a plan without actions", "", nil},
		{"bad_plan", `action "b": it has one idempotency key with action "a"`, "b", []planners.DraftAction{page("a", "kb", "x.md", "1"), page("b", "kb", "x.md", "2")}},
		{"bad_plan", "two actions have the id a", "", []planners.DraftAction{page("a", "kb", "x.md", "1"), page("a", "kb", "y.md", "2")}},
		{"bad_plan", "wait for each other", "", []planners.DraftAction{waits(page("a", "kb", "x.md", "1"), "b"), waits(page("b", "kb", "y.md", "2"), "a")}},
		{"page_place", `action "b": "w.md" is a page of action "a", so no page can be below it`, "b", []planners.DraftAction{page("a", "kb", "w.md", "1"), page("b", "kb", "w.md/x.md", "2")}},
		{"page_case", `action "b": "W.md" differs from "w.md"`, "b", []planners.DraftAction{page("a", "kb", "w.md", "1"), page("b", "kb", "W.md", "2")}},
		{"not_allowed", `action "a": the task does not allow tool "quick" to write to "others/`, "a", []planners.DraftAction{elsewhere(quickAction(1, ""))}},
		{"plan_too_large", "fewer actions or dependencies", "", chain},
		{"bad_plan", "16777216", "", heavy},
	} {
		planner.proposals, planner.heard = [][]planners.DraftAction{tt.actions, {page("a", "kb", "x.md", "1")}}, nil
		_, err := h.makePlan(asked)
		require.NoError(t, err, "the second proposal is one")
		require.Len(t, planner.heard, 1, tt.says)
		fault := faults.Name(planner.heard[0])
		require.Equal(t, tt.code, fault.Code, fault.Reason)
		require.Equal(t, faults.Permanent, fault.Class)
		require.Contains(t, fault.Reason, tt.says)
		var about *planners.InAction
		require.Equal(t, tt.id != "", errors.As(planner.heard[0], &about), fault.Reason)
		if about != nil {
			require.Equal(t, tt.id, about.ID)
		}
	}
	h.nothingWritten()
}

// counting counts how often it is asked to prepare.
type counting struct {
	quick

	prepared *int
}

func (c counting) Prepare(ctx context.Context, p tools.Proposal) (tools.Prepared, error) {
	*c.prepared++
	return c.quick.Prepare(ctx, p)
}

// changing has one proposal checked, and makes another one of it in its place.
type changing struct{ proposing }

func (c changing) Plan(ctx context.Context, r planners.Request) (planners.Draft, error) {
	if err := r.Check(ctx, c.proposing); err != nil {
		return planners.Draft{}, err
	}
	c.proposing[0].Proposal.Parameters = json.RawMessage(`"other"`)
	return planners.Draft{Actions: c.proposing}, nil
}

// What was checked is what is planned, and costs no second look; what was changed
// since is looked at.
func TestWhatWasCheckedIsPreparedOnce(t *testing.T) {
	h := newHouse(t)
	prepared := 0
	h.use(counting{prepared: &prepared})
	asked := task()
	asked.Tools = []workflows.ToolUse{{Tool: "quick", Target: "things"}}

	h.acts.Planners["asking"], asked.Planner = &asking{proposals: [][]planners.DraftAction{{quickAction(1, "")}}}, "asking"
	made, err := h.makePlan(asked)
	require.NoError(t, err)
	require.Equal(t, 1, prepared)
	require.Equal(t, "things/1", h.document(made).Actions[0].Target)

	h.acts.Planners["changing"], asked.Planner = changing{proposing{quickAction(1, "")}}, "changing"
	made, err = h.makePlan(asked)
	require.NoError(t, err)
	require.Equal(t, 3, prepared)
	require.Equal(t, "things/other", h.document(made).Actions[0].Target)
}

func elsewhere(a planners.DraftAction) planners.DraftAction {
	a.ID, a.Proposal.AllowedTarget = "a", "others"
	return a
}
