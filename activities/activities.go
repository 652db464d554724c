package activities

import (
	"context"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/notify"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/workflows"
)

// Activities holds what the steps need. All fields but Notices, StillOurs and
// RunCanceled must be set.
type Activities struct {
	Sources  map[string]sources.Source   // by name; uploads are in none
	Limits   sources.Limits              // of one collection
	Planners map[string]planners.Planner // by name
	Tools    *tools.Registry
	Blobs    *blobs.Store
	Effects  *effects.Protocol
	Policy   *policy.Policy
	Parallel int // how many actions of one plan may be in flight
	Notices  *notify.Channels
	Log      *zap.Logger
	// StillOurs reports whether the server still waits for the attempt whose
	// context it gets: [AskServer]. Nil asks nobody, for tests without a server.
	StillOurs func(ctx context.Context, said any) error
	// RunCanceled reports whether the run of the attempt whose context it is given is
	// to be canceled: AskCanceled. nil: nobody is asked, and attempts go on.
	RunCanceled func(ctx context.Context) bool

	decoded   recent[plan.Digest, plan.Plan]
	evaluated recent[evaluation, approvals.Terms]
}

// Register adds the activities to a worker under the names of the contract.
func (a *Activities) Register(registry worker.ActivityRegistry) {
	for name, function := range map[string]any{
		string(workflows.CollectContext):  a.CollectContext,
		string(workflows.MakePlan):        a.MakePlan,
		string(workflows.RequestApproval): a.RequestApproval,
		string(workflows.ExecuteAction):   a.ExecuteAction,
		string(workflows.Summarize):       a.Summarize,
		workflows.JudgeDecisions:          a.JudgeDecisions,
		workflows.JudgeResolutions:        a.JudgeResolutions,
		workflows.SettleAction:            a.SettleAction,
		workflows.Notify:                  a.Notify,
	} {
		registry.RegisterActivityWithOptions(function, activity.RegisterOptions{Name: name})
	}
}
