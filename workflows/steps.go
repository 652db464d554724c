package workflows

import (
	"encoding/json"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// StepName is the name of one of the five steps: the activity type in the
// history, and what crash drills and progress lines say.
type StepName string

// The five steps, in their order.
const (
	CollectContext  StepName = "collect_context"
	MakePlan        StepName = "make_plan"
	RequestApproval StepName = "request_approval"
	ExecuteAction   StepName = "execute_action"
	Summarize       StepName = "summarize"
)

// The activities beside the steps.
const (
	// JudgeDecisions is the local activity that reads and judges decisions.
	JudgeDecisions = "judge_decisions"
	// JudgeResolutions is the one that reads and judges resolutions.
	JudgeResolutions = "judge_resolutions"
	// SettleAction looks up in the ledger what became of an action, and records
	// what a person found out.
	SettleAction = "settle_action"
)

// StepNames lists the steps in their order.
func StepNames() []StepName {
	return []StepName{CollectContext, MakePlan, RequestApproval, ExecuteAction, Summarize}
}

// BlobRef is the address of something in the tenant's part of the blob store.
type BlobRef struct {
	Digest plan.Digest `json:"digest,omitzero"`
	Size   int64       `json:"size"`
}

// CollectContextInput asks for the documents of a task.
type CollectContextInput struct {
	RunID string `json:"run_id"`
	Task  Task   `json:"task"`
	Key   string `json:"idempotency_key"` // of the step, as in the step table
}

// CollectProgress is what collect_context says in its heartbeats: how far it
// is, for those who watch, and from where another attempt goes on.
type CollectProgress struct {
	// Listing is the list of everything that there is to read, over which every
	// attempt goes; zero while it is being made.
	Listing BlobRef `json:"listing,omitzero"`
	Entries int     `json:"entries"` // listed so far; with a Listing, all of them
	Done    int     `json:"done"`    // entries that were read or skipped
	Read    int     `json:"read"`    // files
	Skipped int     `json:"skipped"` // files, those in skipped folders too
	Bytes   int64   `json:"bytes"`   // of what was read
	// Partial is the manifest of the first Saved entries, as the activity keeps
	// it; another attempt reads none of them again.
	Saved   int     `json:"saved"`
	Partial BlobRef `json:"partial,omitzero"`
}

// CollectContextResult says what was read. No document is in it.
type CollectContextResult struct {
	Attempt  int         `json:"attempt"`
	Digest   plan.Digest `json:"context_digest"` // of what was read
	Manifest BlobRef     `json:"manifest"`
	Read     int         `json:"read"`
	Skipped  int         `json:"skipped"`
	Bytes    int64       `json:"bytes"`
	// Examples names up to ten skipped entries with their reasons; the
	// manifest has them all.
	Examples []string `json:"skipped_examples,omitempty"`
}

// MakePlanInput asks for a plan.
type MakePlanInput struct {
	RunID           string      `json:"run_id"`
	Task            Task        `json:"task"`
	Revision        int         `json:"revision"`
	ContextDigest   plan.Digest `json:"context_digest"`
	Manifest        BlobRef     `json:"manifest"`
	Feedback        []string    `json:"feedback,omitempty"` // of approvers, oldest first
	WorkflowVersion string      `json:"workflow_version"`
	// RequestKey is the step's idempotency key: the same for all its attempts. It is
	// for the worker's log alone; what a planner pays for has keys of its own. The
	// field keeps its name, because recorded histories have it.
	RequestKey string `json:"request_key"`
	// Execution is the first of the run's chain of executions: the same for all
	// that continue it, and another one when the run is started once more.
	Execution string `json:"execution,omitempty"`
	// Earlier is the plan before, when this one takes its place: what the
	// feedback is of.
	Earlier BlobRef `json:"earlier,omitzero"`
	// Ledger is that of the plan before, if there was one: what became of its
	// actions stands nowhere else.
	Ledger string `json:"ledger,omitempty"`
}

// MakePlanResult is a plan by reference, with what the workflow needs of it.
type MakePlanResult struct {
	Attempt  int         `json:"attempt"`
	PlanHash plan.Digest `json:"plan_hash"`
	Blob     BlobRef     `json:"blob"`
	// Plan is the whole document when it has at most InlinePlanBytes, so that
	// the history and the Web UI show it; readers verify it against PlanHash.
	Plan json.RawMessage `json:"plan,omitempty"`
	// Summary is Markdown for the Web UI.
	Summary string          `json:"summary"`
	Risk    plan.Risk       `json:"risk"` // the highest of the actions
	Actions []PlannedAction `json:"actions"`
	Limits  []ToolLimits    `json:"limits"`
	// Parallel bounds the actions in flight. It is fixed with the plan, so
	// that a deploy with another bound replays waiting runs.
	Parallel int `json:"parallel"`
	// Model is what the plan cost; nil when no model was asked.
	Model *ModelUse `json:"model,omitempty"`
	// Ledger is the identity of the effect ledger with which the plan was
	// compared, and in which alone its actions are carried out. It is empty in
	// histories from before ledgers had one.
	Ledger string `json:"ledger,omitempty"`
}

// ModelUse is what the replies cost of which a plan is made.
type ModelUse struct {
	ModelID       string `json:"model_id"` // as the model's server reported it
	PromptVersion string `json:"prompt_version"`
	Calls         int    `json:"calls"`  // made by the last attempt
	Stored        int    `json:"stored"` // replies that an earlier attempt had paid for
	InputTokens   int64  `json:"input_tokens"`
	OutputTokens  int64  `json:"output_tokens"`
	// Unreported are the replies whose tokens the server did not say, or not so that
	// they can be believed. They are in no number but those of calls and replies.
	Unreported int    `json:"unreported,omitempty"`
	Cost       string `json:"cost,omitempty"` // of those tokens, with its currency, by the worker's price table
}

// InlinePlanBytes is the size up to which a plan stands in the history.
const InlinePlanBytes = 128 << 10

// PlannedAction is what the workflow knows of an action: enough to order it.
type PlannedAction struct {
	ID    string `json:"id"`
	Tool  string `json:"tool"`
	Key   string `json:"key"`             // idempotency key
	After []int  `json:"after,omitempty"` // places in the list of the actions it depends on
	// InDoubt says that an earlier attempt, of this run or one before, may have
	// had its effect; carrying it out finds out.
	InDoubt bool `json:"in_doubt,omitempty"`
	// DoneRef is the receipt's reference when the ledger already holds this
	// very action; it is then not executed.
	DoneRef string `json:"done_ref,omitempty"`
}

// ToolLimits are what the workflow must know of a tool.
type ToolLimits struct {
	Tool        string             `json:"tool"`
	Class       plan.DeliveryClass `json:"class,omitempty"`
	CallTimeout time.Duration      `json:"call_timeout"`
	MaxAttempts int                `json:"max_attempts"`
	Concurrency int                `json:"concurrency,omitempty"` // actions of one run in flight; 0: no limit of its own
}

// RequestApprovalInput asks whom the policy wants to approve a plan.
type RequestApprovalInput struct {
	RunID    string      `json:"run_id"`
	Task     Task        `json:"task"`
	Key      string      `json:"idempotency_key"` // of the step, as in the step table
	PlanHash plan.Digest `json:"plan_hash"`
	Blob     BlobRef     `json:"blob"`
}

// RequestApprovalResult is the request: who may decide, and for how long. The
// workflow turns the policy's periods into times, once.
type RequestApprovalResult struct {
	Attempt   int    `json:"attempt"`
	RequestID string `json:"request_id"` // fresh for each opening of the gate
	// Execution is the one in which the gate was opened. In another one, which a
	// reset has made, what was said since may be missing. It is empty in histories
	// from before it was recorded.
	Execution string `json:"execution,omitempty"`
	// Terms are the policy, evaluated for this plan.
	Terms approvals.Terms `json:"policy"`
	// Notify names, for each event, the channels through which people are told
	// of it.
	Notify map[Event][]string `json:"notify,omitempty"`
}

// JudgeDecisionsInput is one batch of decisions as they arrived, undecoded.
// It is the input of a local activity, so it is not written to the history.
type JudgeDecisionsInput struct {
	Request  approvals.Request `json:"request"`
	Arrivals []Arrival         `json:"arrivals"`
}

// JudgeDecisionsResult has one verdict for each arrival, in their order.
type JudgeDecisionsResult struct {
	Verdicts []approvals.Verdict `json:"verdicts"`
	// Outdated says that a word about an action in doubt was refused by a policy that
	// is not the one of the day: the run asks for that one. It is false in histories
	// from before it was said, in which the run does not ask.
	Outdated bool `json:"outdated,omitempty"`
}

// ExecuteActionInput carries no parameters: the activity loads the plan by its
// hash and takes the action out of the verified bytes. It is written to the
// history once for each action, so it carries nothing else that can be long.
type ExecuteActionInput struct {
	RunID     string          `json:"run_id"`
	Tenant    string          `json:"tenant"`
	Requester string          `json:"requester"`
	PlanHash  plan.Digest     `json:"plan_hash"`
	Blob      BlobRef         `json:"blob"`
	ActionID  string          `json:"action_id"`
	Key       string          `json:"idempotency_key"`
	Grant     approvals.Grant `json:"grant"` // without comments
	// Ledger is the plan's: with another one nothing is sent.
	Ledger string `json:"ledger,omitempty"`
	// MaxAttempts is the tool's. The activity counts by itself, because an
	// attempt that could not ask the ledger is none. 0 is of histories in which
	// the server counts.
	MaxAttempts int `json:"max_attempts,omitempty"`
	// Expected says that the ledger knew of an attempt of unknown outcome when
	// the plan was made.
	Expected bool `json:"expected,omitempty"`
}

// ActionOutcome is what became of one action.
type ActionOutcome string

// The outcomes that execute_action returns. All but OutcomeDone mean that
// nothing was written.
const (
	OutcomeDone          ActionOutcome = "done"
	OutcomeDrifted       ActionOutcome = "drifted"        // the target changed since the plan was made
	OutcomePolicyChanged ActionOutcome = "policy_changed" // the grant does not satisfy the policy of today
	OutcomeExpired       ActionOutcome = "expired"        // the grant's life is over
)

// ExecuteActionResult is the outcome of one action, with its receipt.
type ExecuteActionResult struct {
	Attempt int           `json:"attempt"`
	Outcome ActionOutcome `json:"outcome"`
	Detail  string        `json:"detail,omitempty"`
	Receipt *plan.Receipt `json:"receipt,omitempty"`
	// InDoubt says that nothing was begun now, and that an earlier attempt may
	// have had its effect.
	InDoubt   bool `json:"in_doubt,omitempty"`
	Duplicate bool `json:"duplicate,omitempty"` // the ledger had the receipt already
	Recovered bool `json:"recovered,omitempty"` // an earlier attempt's outcome was unknown
}

// SummarizeInput asks for the report of a completed plan.
type SummarizeInput struct {
	RunID    string           `json:"run_id"`
	Task     Task             `json:"task"`
	Key      string           `json:"idempotency_key"` // of the step, as in the step table
	PlanHash plan.Digest      `json:"plan_hash"`
	Blob     BlobRef          `json:"blob"`
	Grant    *approvals.Grant `json:"grant,omitempty"` // nil when nothing needed approval
}

// SummarizeResult is the report by reference, and the effects as counted at
// the targets.
type SummarizeResult struct {
	Attempt     int     `json:"attempt"`
	Report      BlobRef `json:"report"`
	EffectCount int     `json:"effect_count"`
	// Uncounted is how many actions' targets cannot tell.
	Uncounted int `json:"uncounted,omitempty"`
}
