package workflows

import "time"

// RunStatus is where a run stands.
type RunStatus string

// The states of a run. Rejected and Expired are ends of the workflow that
// completed; only a fault fails it.
const (
	Running         RunStatus = "RUNNING"
	WaitingApproval RunStatus = "WAITING_APPROVAL"
	// WaitingResolution: a person must say what became of an action.
	WaitingResolution RunStatus = "WAITING_RESOLUTION"

	Completed RunStatus = "COMPLETED"
	Rejected  RunStatus = "REJECTED"
	Expired   RunStatus = "EXPIRED"
	Failed    RunStatus = "FAILED"
	Canceled  RunStatus = "CANCELED"
)

// Ended reports whether a run of this status does nothing any more.
func (s RunStatus) Ended() bool {
	return s != Running && s != WaitingApproval && s != WaitingResolution && s != ""
}

// StepStatus is where a step or an action stands.
type StepStatus string

// The states of a step. InDoubt is an action's alone: its effect may or may
// not have happened.
const (
	StepPending   StepStatus = "PENDING"
	StepRunning   StepStatus = "RUNNING"
	StepCompleted StepStatus = "COMPLETED"
	StepFailed    StepStatus = "FAILED"
	StepSkipped   StepStatus = "SKIPPED"
	StepInDoubt   StepStatus = "IN_DOUBT"
)

// Step is a row of the step table.
type Step struct {
	Name   StepName   `json:"name"`
	Status StepStatus `json:"status"`
	// Runs is how often the run came to this step: once, and once more for
	// each new plan. For execute_action it counts the actions.
	Runs int `json:"runs"`
	// Attempts is the largest number of attempts that any of them took.
	Attempts       int        `json:"attempts"`
	IdempotencyKey string     `json:"idempotency_key,omitempty"`
	StartedAt      *time.Time `json:"started_at,omitempty"`
	EndedAt        *time.Time `json:"ended_at,omitempty"`
	Error          string     `json:"error,omitempty"`
}
