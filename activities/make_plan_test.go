package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

func TestAPlanSaysWhatAnApproverReliesOn(t *testing.T) {
	h := newHouse(t)
	made := h.planned()
	require.Equal(t, made.PlanHash, made.Blob.Digest)
	require.Equal(t, plan.LowRisk, made.Risk)
	require.Equal(t, 4, made.Parallel)
	require.Equal(t, []string{"gitpages"}, []string{made.Limits[0].Tool})
	p := h.document(made)
	require.Equal(t, runID, p.RunID)
	require.Equal(t, "outline/2", p.Planner)
	require.Equal(t, workflows.Version, p.WorkflowVersion)
	require.Len(t, p.Actions, 3)
	for _, action := range p.Actions {
		require.Equal(t, "1", action.ToolVersion)
		require.Equal(t, plan.Conditional, action.DeliveryClass)
		require.Equal(t, "absent", action.Precondition)
		require.Contains(t, action.Preview, "+", "a diff against nothing")
	}
	index := made.Actions[2]
	require.Equal(t, "index", index.ID)
	require.Equal(t, []int{0, 1}, index.After, "it links to the others")
	require.JSONEq(t, canonical(t, p), string(made.Plan), "small enough to stand in the history")
	require.Contains(t, made.Summary, "82000")
}

func canonical(t *testing.T, p plan.Plan) string {
	t.Helper()
	raw, err := p.Canonical()
	require.NoError(t, err)
	return string(raw)
}

func TestTheSameDocumentsGiveTheSamePlan(t *testing.T) {
	first, second := newHouse(t), newHouse(t)
	require.Equal(t, first.planned().PlanHash, second.planned().PlanHash, "on every machine")
	second.note("billing.md", "# Billing\n\n## 2025-09-30\n\n- planned: one transfer of amount 82001\n")
	require.NotEqual(t, first.planned().PlanHash, second.planned().PlanHash)
}

// What a worker does not have is said in words, without its folders.
func TestUnknownNamesAreRefused(t *testing.T) {
	h := newHouse(t)
	h.use(h.pages, quick{})
	for name, tc := range map[string]struct {
		change     func(*workflows.Task)
		code, says string
	}{
		"folder of the root": {func(t *workflows.Task) { t.Context[0].Path = "later" }, "context_path_missing", `folder "later" of source "notes" does not exist`},
		"out of the root":    {func(t *workflows.Task) { t.Context[0].Path = "../" }, "context_path_invalid", `without ".."`},
		"an absolute path":   {func(t *workflows.Task) { t.Context[0].Path = "/etc" }, "context_path_invalid", "without a leading slash"},
		"glob":               {func(t *workflows.Task) { t.Context[0].Include = []string{"["} }, "glob_invalid", "include"},
	} {
		t.Run(name, func(t *testing.T) {
			task := task()
			tc.change(&task)
			_, err := h.collect(task)
			requireRefusal(t, h, err, tc.code, tc.says)
		})
	}
	for name, tc := range map[string]struct {
		change     func(*workflows.Task)
		code, says string
	}{
		"repository":              {func(t *workflows.Task) { t.Tools[0].Target = "wiki" }, "target", `no repository "wiki"; it has kb`},
		"tool without a planner":  {func(t *workflows.Task) { t.Tools[0].Tool = "quick" }, "outline_no_target", "the tool gitpages, which the task does not allow"},
		"a path out of the pages": {func(t *workflows.Task) { t.Tools[0].Path = "../x" }, "page_path", `".."`},
	} {
		t.Run(name, func(t *testing.T) {
			task := task()
			tc.change(&task)
			_, err := h.makePlan(task)
			requireRefusal(t, h, err, tc.code, tc.says)
		})
	}
	t.Run("tool", func(t *testing.T) {
		_, err := h.propose(task(), planners.DraftAction{ID: "a", Proposal: tools.Proposal{Tool: "shell"}})
		requireRefusal(t, h, err, "no_tool", `no tool "shell"`)
	})
	t.Run("a root whose folder is gone", func(t *testing.T) {
		require.NoError(t, os.RemoveAll(h.path("notes")))
		_, err := h.collect(task())
		requireRefusal(t, h, err, "source_root_unusable", `source "notes" has a folder that cannot be opened`)
	})
	h.nothingWritten()
}

func requireRefusal(t *testing.T, h *house, err error, code, says string) {
	t.Helper()
	app := refused(t, err, faults.Permanent, code)
	require.Contains(t, app.Message(), says)
	require.NotContains(t, app.Message(), h.dir, "nobody else needs to know this machine's folders")
}

// A planner may propose anything; it gets what the task allows.
func TestProposalsBeyondTheTaskAreRefused(t *testing.T) {
	within := func(path string) workflows.Task {
		task := task()
		task.Tools = []workflows.ToolUse{{Tool: "gitpages", Target: "kb", Path: path}}
		return task
	}
	h := newHouse(t)
	for name, tc := range map[string]struct {
		task    workflows.Task
		action  planners.DraftAction
		refused bool
	}{
		"inside":                    {within("sub"), page("a", "kb/sub", "x.md", "x"), false},
		"inside, spelled otherwise": {within("sub"), page("a", "kb", "sub/deep/x.md", "x"), false},
		"beside":                    {within("sub"), page("a", "kb", "x.md", "x"), true},
		"in a longer name":          {within("sub"), page("a", "kb", "subx/x.md", "x"), true},
		"a page named like it":      {within("sub"), page("a", "kb", "sub.md", "x"), true},
		"the one page":              {within("weekly/x.md"), page("a", "kb/weekly", "x.md", "x"), false},
		"another page":              {within("weekly/x.md"), page("a", "kb/weekly", "y.md", "x"), true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.propose(tc.task, tc.action)
			if !tc.refused {
				require.NoError(t, err)
				return
			}
			app := refused(t, err, faults.Permanent, "not_allowed")
			require.Contains(t, app.Message(), "the task does not allow")
		})
	}
	t.Run("climbing out", func(t *testing.T) {
		_, err := h.propose(within("sub"), page("a", "kb/sub", "../x.md", "x"))
		refused(t, err, faults.Permanent, "page_path")
	})
}

func TestProposalsThatMakeNoPlanAreRefused(t *testing.T) {
	h := newHouse(t)
	waits := func(a planners.DraftAction, ids ...string) planners.DraftAction {
		a.DependsOn = ids
		return a
	}
	for name, tc := range map[string]struct {
		actions []planners.DraftAction
		says    string
	}{
		"nothing":            {nil, "a plan without actions"},
		"one page twice":     {[]planners.DraftAction{page("a", "kb", "x.md", "1"), page("b", "kb", "x.md", "2")}, "one idempotency key"},
		"one id twice":       {[]planners.DraftAction{page("a", "kb", "x.md", "1"), page("a", "kb", "y.md", "2")}, "two actions have the id a"},
		"a circle":           {[]planners.DraftAction{waits(page("a", "kb", "x.md", "1"), "b"), waits(page("b", "kb", "y.md", "2"), "a")}, "wait for each other"},
		"after nothing":      {[]planners.DraftAction{waits(page("a", "kb", "x.md", "1"), "b")}, "which the plan does not have"},
		"an id with a break": {[]planners.DraftAction{page("a\nb", "kb", "x.md", "1")}, "letters a to z, digits"},
		"an endless id":      {[]planners.DraftAction{page(strings.Repeat("a", 1<<20), "kb", "x.md", "1")}, "1 to 64 are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.propose(task(), tc.actions...)
			app := refused(t, err, faults.Permanent, "bad_plan")
			require.Contains(t, app.Message(), tc.says)
			require.Less(t, len(app.Message()), 1000)
		})
	}
	t.Run("an endless tool", func(t *testing.T) {
		_, err := h.propose(task(), planners.DraftAction{ID: strings.Repeat("a", 1<<20), Proposal: tools.Proposal{Tool: strings.Repeat("t", 1<<20)}})
		require.Less(t, len(refused(t, err, faults.Permanent, "no_tool").Message()), 1000)
	})
}

// quick is a tool for plans of many actions, where a thousand questions to Git
// would say nothing more.
type quick struct{}

func (quick) Spec() tools.Spec {
	return tools.Spec{Name: "quick", Version: "1", Class: plan.Conditional, Risk: plan.HighRisk, SchemaDigest: plan.Sum([]byte("{}"))}
}

func (quick) Prepare(_ context.Context, p tools.Proposal) (tools.Prepared, error) {
	var target string
	err := json.Unmarshal(p.Parameters, &target)
	return tools.Prepared{Target: p.AllowedTarget + "/" + target, Parameters: p.Parameters, Preview: "+ " + target}, err
}

func (quick) Apply(context.Context, tools.Call) (plan.Receipt, error) { return plan.Receipt{}, nil }
func (quick) Count(context.Context, tools.Call) (int, error)          { return -1, nil }

func (h *house) proposeQuick(drafts []planners.DraftAction) (workflows.MakePlanResult, error) {
	h.t.Helper()
	h.use(h.pages, quick{})
	task := task()
	task.Tools = []workflows.ToolUse{{Tool: "quick", Target: "things"}}
	return h.propose(task, drafts...)
}

func quickAction(i int, text string) planners.DraftAction {
	parameters, err := json.Marshal(fmt.Sprintf("%d%s", i, text))
	if err != nil {
		panic(err)
	}
	return planners.DraftAction{
		ID:       fmt.Sprintf("action-%057d", i), // as long as an id may be
		Proposal: tools.Proposal{Tool: "quick", Parameters: parameters, AllowedTarget: "things"},
	}
}

// maxEventBytes is what no event of a history may exceed.
const maxEventBytes = 256 << 10

// eventBytes is the size of a result in the history, as the server counts.
func eventBytes(t *testing.T, result any) int {
	t.Helper()
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(result)
	require.NoError(t, err)
	return proto.Size(payloads)
}

// The largest plan that may be approved goes by reference, and what the
// workflow needs of it stays small.
func TestTheLargestPlanGoesByReference(t *testing.T) {
	h := newHouse(t)
	var drafts []planners.DraftAction
	for i := range plan.MaxActions {
		draft := quickAction(i, strings.Repeat("<", 500))
		if i > 0 {
			draft.DependsOn = []string{drafts[i-1].ID}
		}
		drafts = append(drafts, draft)
	}
	for _, draft := range drafts[:len(drafts)-2] {
		drafts[len(drafts)-1].DependsOn = append(drafts[len(drafts)-1].DependsOn, draft.ID) // as an index does
	}
	made, err := h.proposeQuick(drafts)
	require.NoError(t, err)
	require.Empty(t, made.Plan)
	require.Greater(t, made.Blob.Size, int64(workflows.InlinePlanBytes))
	require.Less(t, eventBytes(t, made), maxEventBytes)
	require.Len(t, made.Actions, plan.MaxActions)
	require.Equal(t, []int{998}, made.Actions[999].After[:1])
	require.Len(t, made.Actions[999].After, 999)
	require.Equal(t, plan.HighRisk, made.Risk)
	require.Len(t, h.document(made).Actions, plan.MaxActions)

	_, err = h.proposeQuick(append(drafts, quickAction(plan.MaxActions, "")))
	require.Contains(t, refused(t, err, faults.Permanent, "bad_plan").Message(), "1001 actions; at most 1000")
}

// JSON writes '<' with six bytes, so a plan below the limit may be beyond it
// in the history.
func TestAPlanThatGrowsAsJSONGoesByReference(t *testing.T) {
	h := newHouse(t)
	small, err := h.proposeQuick([]planners.DraftAction{quickAction(1, strings.Repeat("x", 30_000))})
	require.NoError(t, err)
	require.NotEmpty(t, small.Plan)
	require.Less(t, small.Blob.Size, int64(workflows.InlinePlanBytes))

	grown, err := h.proposeQuick([]planners.DraftAction{quickAction(1, strings.Repeat("<", 30_000))})
	require.NoError(t, err)
	require.Less(t, grown.Blob.Size, int64(workflows.InlinePlanBytes))
	require.Empty(t, grown.Plan)
	require.Less(t, eventBytes(t, grown), maxEventBytes)
}

// An order that the history cannot carry is refused when the plan is made, and
// not by the server afterwards.
func TestAPlanWhoseOrderIsTooLargeIsRefused(t *testing.T) {
	h := newHouse(t)
	var drafts []planners.DraftAction
	var ids []string
	for i := range 600 {
		draft := quickAction(i, "")
		draft.ID = fmt.Sprint("a", i)
		draft.DependsOn = slices.Clip(ids)
		drafts, ids = append(drafts, draft), append(ids, draft.ID)
	}
	_, err := h.proposeQuick(drafts)
	require.Contains(t, refused(t, err, faults.Permanent, "plan_too_large").Message(), "fewer actions or dependencies")
}
