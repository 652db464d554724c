package workflows

import (
	"strconv"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// State is all that a run carries from one execution to the next when it
// continues as new. Status, queries and result are views of it. Its methods
// are shared by the workflow and by whoever folds a history without one.
type State struct {
	Status    RunStatus              `json:"status"`
	Reason    string                 `json:"reason,omitempty"` // why it stands there, in one line
	Steps     []Step                 `json:"steps"`
	Context   *CollectContextResult  `json:"context,omitempty"`
	Revision  int                    `json:"revision"`
	Returns   int                    `json:"returns"` // how often the run went back to make_plan
	Feedback  []string               `json:"feedback,omitempty"`
	Plan      *MakePlanResult        `json:"plan,omitempty"`
	Request   *RequestApprovalResult `json:"request,omitempty"`
	DecideBy  *time.Time             `json:"decide_by,omitempty"`
	Gate      approvals.Request      `json:"gate"`
	Grant     *approvals.Grant       `json:"grant,omitempty"`
	Actions   []Action               `json:"actions,omitempty"` // of the present plan, in its order
	Decisions Decisions              `json:"decisions"`
	Summary   *SummarizeResult       `json:"summary,omitempty"`
	Halt      Halt                   `json:"halt,omitzero"`     // of an execution that waits for a person
	Asked     int                    `json:"asked,omitempty"`   // how often the gate opened anew for this plan
	Notices   []NoticeRow            `json:"notices,omitempty"` // the last of them
	// Resolving is by what words about the present plan's doubts are judged, when the
	// policy has changed since it was approved.
	Resolving *approvals.Resolving `json:"resolving,omitempty"`
	// Outdated says that a judge knew another policy than the run, and HeardAt is when
	// the run last asked for that of the day because of it; see hearing.go.
	Outdated bool       `json:"outdated,omitempty"`
	HeardAt  *time.Time `json:"heard_at,omitempty"`
	// WasReset says that an execution of the run came from a reset; see reset.go.
	WasReset bool `json:"was_reset,omitempty"`

	execution string // the one that this is; see reset.go
}

// NewState is where a run begins.
func NewState(task Task) State {
	s := State{Status: Running}
	for _, name := range StepNames() {
		s.Steps = append(s.Steps, Step{Name: name, Status: StepPending, IdempotencyKey: stepKey(task, name, 0)})
	}
	return s
}

// stepKey names one step of one revision of one business effect, the same on
// every attempt and in every worker.
func stepKey(task Task, name StepName, revision int) string {
	return plan.Identity{
		Tenant: task.Tenant, BusinessID: task.BusinessID, Tool: "step/" + string(name),
		Item: strconv.Itoa(revision), SemanticVersion: task.SemanticVersion,
	}.Key()
}

// Step returns the row of a step.
func (s *State) Step(name StepName) *Step {
	for i := range s.Steps {
		if s.Steps[i].Name == name {
			return &s.Steps[i]
		}
	}
	s.Steps = append(s.Steps, Step{Name: name, Status: StepPending})
	return &s.Steps[len(s.Steps)-1]
}

// Begin marks a step as running. A step that runs again for a new plan keeps
// its first start and gets the key of its revision.
func (s *State) Begin(name StepName, task Task, at time.Time) {
	step := s.Step(name)
	if step.Status == StepRunning {
		return
	}
	step.Status, step.Error, step.EndedAt = StepRunning, "", nil
	// Execution keeps the key that it began with: its actions have their own.
	if name != CollectContext && !(name == ExecuteAction && step.StartedAt != nil) {
		step.IdempotencyKey = stepKey(task, name, s.Revision)
	}
	if step.StartedAt == nil {
		step.StartedAt = &at
	}
	if name != ExecuteAction {
		step.Runs++
	}
}

// Complete marks a step as done, by an activity that took so many attempts.
func (s *State) Complete(name StepName, attempts int, at time.Time) {
	step := s.Step(name)
	step.Status, step.EndedAt = StepCompleted, &at
	step.Attempts = max(step.Attempts, attempts)
}

// Fail marks a step as failed.
func (s *State) Fail(name StepName, text string, attempts int, at time.Time) {
	step := s.Step(name)
	step.Status, step.EndedAt, step.Error = StepFailed, &at, plan.Clip(text, maxErrorText)
	step.Attempts = max(step.Attempts, attempts)
}

// Skip marks a step that this run never came to.
func (s *State) Skip(name StepName) {
	if step := s.Step(name); step.Runs == 0 {
		step.Status = StepSkipped
	}
}

// NewPlan takes a plan in place of the one before. Whatever was asked and
// granted for that one is void.
func (s *State) NewPlan(p *MakePlanResult) {
	s.Plan, s.Request, s.Grant, s.DecideBy, s.Asked, s.Resolving = p, nil, nil, nil, 0, nil
	if step := s.Step(ExecuteAction); step.Status == StepRunning {
		step.Status = StepPending // the run went back before it was done
	}
	s.Actions = make([]Action, len(p.Actions))
	for i, a := range p.Actions {
		s.Actions[i] = Action{ID: a.ID, Key: a.Key, Status: StepPending}
		switch {
		case a.DoneRef != "":
			s.Actions[i].Status, s.Actions[i].Ref, s.Actions[i].Already = StepCompleted, a.DoneRef, true
		case a.InDoubt:
			s.doubt(i)
		}
	}
}

// ledger is that of the present plan; "" before the first.
func (s *State) ledger() string {
	if s.Plan == nil {
		return ""
	}
	return s.Plan.Ledger
}

// ActionBegun marks an action as in flight.
func (s *State) ActionBegun(i int) {
	s.Actions[i].Status = StepRunning
	s.Step(ExecuteAction).Runs++
}

// ActionEnded records the outcome of an action that came back without error.
func (s *State) ActionEnded(i int, out ExecuteActionResult) {
	row, step := &s.Actions[i], s.Step(ExecuteAction)
	row.Attempts = out.Attempt
	step.Attempts = max(step.Attempts, out.Attempt)
	switch {
	case out.Outcome == OutcomeDone && out.Receipt != nil:
		row.Status, row.Ref = StepCompleted, out.Receipt.Ref
	case out.Outcome == OutcomeExpired, out.Outcome == OutcomeDrifted, out.Outcome == OutcomePolicyChanged:
		row.Status = StepPending
		if out.InDoubt {
			s.doubt(i)
		}
		s.Reason = row.ID + ": " + out.Detail
	default:
		// Neither a receipt nor a known reason: that is no success.
		row.Status, row.Error = StepFailed, "the activity returned no receipt"
	}
}

// SkipRest marks what a failure kept from beginning.
func (s *State) SkipRest() {
	for i := range s.Actions {
		if s.Actions[i].Status == StepPending {
			s.Actions[i].Status = StepSkipped
		}
	}
}

// ActionFailed records an action that failed for good. Whether its effect may
// have happened is what the error's class says; no class means that it may.
func (s *State) ActionFailed(i int, err error) {
	row, step := &s.Actions[i], s.Step(ExecuteAction)
	row.Error, row.Status = plan.Clip(FaultText(err), maxErrorText), StepFailed
	switch {
	case !surelyNothingHappened(err):
		s.doubt(i)
	case detailsOf(err).Code == CodeRunCanceled:
		row.Status = StepSkipped
	}
	if attempts := attemptsOf(err); attempts > 0 {
		row.Attempts = attempts
		step.Attempts = max(step.Attempts, attempts)
	}
}

// doubt marks an action whose effect may or may not have happened, and
// whether a further attempt finds out by itself.
func (s *State) doubt(i int) {
	s.Actions[i].Status = StepInDoubt
	for _, l := range s.Plan.Limits {
		if l.Tool == s.Plan.Actions[i].Tool {
			s.Actions[i].Recoverable = l.Class == plan.Conditional || l.Class == plan.Transactional
		}
	}
}

// Take lets an accepted verdict change the run. The run may have gone on while
// the word was judged: then v becomes TooLate, and changes nothing.
func (s *State) Take(v *approvals.Verdict) {
	if v.Outcome != "" {
		s.Resolve(v)
		return
	}
	s.Apply(v)
}

// Apply lets an accepted decision change the run. The verdict was given by the
// judge; phase and hash are compared once more. What fits no more becomes
// TooLate in v, and v.Missing is counted anew, for others may have approved
// meanwhile.
func (s *State) Apply(v *approvals.Verdict) {
	if v.Code == approvals.AskedAnew {
		s.askAnew(v)
		return
	}
	if v.Code != approvals.Accepted {
		return
	}
	if v.ActionID != "" {
		s.confirm(v)
		return
	}
	if !s.takes(*v) {
		tooLate(v)
		return
	}
	after := s.Gate.After(*v)
	switch v.Decision {
	case approvals.Approve:
		v.Missing = after.Missing()
		if after.Phase != approvals.PhaseGranted {
			break // others must still approve
		}
		grant, err := approvals.NewGrant(after, v.At)
		if err != nil {
			v.Code, v.Reason = approvals.TooLate, err.Error()
			return
		}
		s.Grant = &grant
	case approvals.Revise:
		s.Feedback = append(s.Feedback, v.Feedback)
		s.Reason = "a new plan was asked for by " + v.Approver
	case approvals.Reject:
		s.Reason = "rejected by " + v.Approver
		if v.Comment != "" {
			s.Reason += ": " + plan.Clip(v.Comment, maxErrorText/2)
		}
	}
	s.Gate = after
}

// OpenGate lets decisions on the present plan be judged.
func (s *State) OpenGate(task Task, runID string) {
	s.Gate = approvals.Request{
		RunID: runID, RequestID: s.Request.RequestID, Phase: approvals.PhaseOpen, PlanHash: s.Plan.PlanHash,
		Requester: task.Requester, Terms: s.Request.Terms, DecideBy: *s.DecideBy, Execution: s.Request.Execution,
	}
}

// GrantByPolicy opens the grant of a plan about which the policy asks nobody.
func (s *State) GrantByPolicy(at time.Time) error {
	s.Gate.Phase = approvals.PhaseGranted
	grant, err := approvals.NewGrant(s.Gate, at)
	if err != nil {
		return err
	}
	s.Grant = &grant
	return nil
}

// maxErrorText bounds an error in the step and action tables.
const maxErrorText = 500

func now(ctx workflow.Context) time.Time { return workflow.Now(ctx).UTC() }
