package workflows

import (
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Notify is the activity that tells people, through one channel, that a run
// waits for them. It writes to no target and needs no approval; a run goes on
// whatever becomes of it.
const Notify = "notify"

// Event is what people are told of.
type Event string

// The events.
const (
	ApprovalRequested     Event = "approval.requested"
	ApprovalReminded      Event = "approval.reminded"
	ApprovalExpired       Event = "approval.expired"
	ConfirmationRequested Event = "confirmation.requested"
	ResolutionNeeded      Event = "resolution.needed"
)

// Notice is the input of Notify. Nothing of the plan's text is in it, for it
// leaves the house: whoever is told looks at the run.
type Notice struct {
	Channel string `json:"channel"` // as the worker's configuration names it
	// Key names this one message: receivers drop a second with the same. It is
	// of the run, the event, its occasion and the channel, and the same on
	// every attempt.
	Key        string      `json:"key"`
	Event      Event       `json:"event"`
	At         time.Time   `json:"at"` // when it came to this, the workflow's time
	RunID      string      `json:"run_id"`
	Tenant     string      `json:"tenant"`
	BusinessID string      `json:"business_id"`
	Requester  string      `json:"requester"`
	RequestID  string      `json:"request_id"`
	PlanHash   plan.Digest `json:"plan_hash"`
	Risk       plan.Risk   `json:"risk"`
	Actions    int         `json:"actions"` // how many the plan has
	// People are those who may do what is asked; Needs says in words how many
	// of whom are still missing, such as "2 of security".
	People []string `json:"people,omitempty"`
	Needs  string   `json:"needs,omitempty"`
	// Waiting are the ids of the actions that wait, of a confirmation or a
	// resolution.
	Waiting []string `json:"waiting,omitempty"`
	// Until is when it is too late: the time to decide, or the approval's end.
	Until *time.Time `json:"until,omitempty"`
	// Command is what to type next.
	Command string `json:"command"`
}

// NoticeResult says how a notice was taken.
type NoticeResult struct {
	Attempt int    `json:"attempt"`
	Answer  string `json:"answer"` // one line, such as "202" or the mail server's
}

// NoticeRow is what became of one notice.
type NoticeRow struct {
	Key     string    `json:"key"` // of the notice
	Event   Event     `json:"event"`
	Channel string    `json:"channel"`
	At      time.Time `json:"at"`
	// Occasion tells notices of one event apart: the request, the reminder's
	// number, the action.
	Occasion string     `json:"occasion,omitempty"`
	Waiting  []string   `json:"waiting,omitempty"`
	Status   StepStatus `json:"status"`
	Answer   string     `json:"answer,omitempty"` // of the other side, in one line
	Error    string     `json:"error,omitempty"`
}

// GrantEnded is the occasion of an ApprovalExpired that tells of a grant; without
// one, it tells of a time to decide.
const GrantEnded = "granted"

// NoticeKey is the idempotency key of one message of a request: the same on every
// attempt. Occasion tells messages about one event apart, see NoticeRow.
func NoticeKey(task Task, requestID, channel string, event Event, occasion string) string {
	return plan.Identity{
		Tenant: task.Tenant, BusinessID: task.BusinessID, Tool: "notify/" + channel,
		Target: requestID, Item: string(event) + "/" + occasion, SemanticVersion: task.SemanticVersion,
	}.Key()
}
