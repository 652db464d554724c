package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// Format names the layout of a bundle.
const Format = "holdpoint.evidence/1"

// MaxBytes bounds a bundle.
const MaxBytes = 256 << 20

// maxValues bounds a bundle's values: of a thousand actions with all their attempts,
// and of some hundred thousand words that nobody could read.
const maxValues = 8_000_000

// Bundle is the document.
type Bundle struct {
	Format  string  `json:"format"`
	Content Content `json:"content"`
	Seal    Seal    `json:"seal"`
}

// Content is what the bundle says. Lists are in the order of the history.
type Content struct {
	RunID      string    `json:"run_id"`
	ExportedAt time.Time `json:"exported_at"` // by the exporter's clock
	Task       Task      `json:"task"`
	// Executions are the workflow executions that the run consists of, each of
	// which continued as the next.
	Executions []Execution `json:"executions"`
	Context    *Context    `json:"context"` // nil: nothing was collected yet
	Plans      []Plan      `json:"plans"`   // every one that was made
	Policies   []Policy    `json:"policies"`
	Requests   []Request   `json:"requests"`
	Judgements []Judgement `json:"judgements"`
	// Unjudged are words that had arrived and that nobody had judged yet.
	Unjudged []Word   `json:"unjudged"`
	Actions  []Action `json:"actions"` // those that were begun
	Notices  []Notice `json:"notices"`
	Result   Result   `json:"result"`
	// Missing says what could not be had when the bundle was made. A bundle
	// with anything missing does not stand alone.
	Missing []string `json:"missing"`
}

// Task is what was asked for. Its digest is the one that the run was started
// with.
type Task struct {
	SHA256 plan.Digest    `json:"sha256"`
	Asked  workflows.Task `json:"asked"`
}

// Execution is one workflow execution and the digest of its history, see
// package gather. Of one that still ran it is the history up to this many events.
type Execution struct {
	WorkflowID string      `json:"workflow_id"`
	RunID      string      `json:"run_id"`
	StartedAt  time.Time   `json:"started_at"`
	End        string      `json:"end"` // the last event's type when it is an end, e.g. WorkflowExecutionCompleted
	Events     int         `json:"events"`
	History    plan.Digest `json:"history_sha256"`
}

// Context is what was read. Documents are in the manifest by their digests.
type Context struct {
	Digest   plan.Digest `json:"digest"`
	Manifest Document    `json:"manifest"`
}

// Document is text with its digest. The text is empty when it is missing.
type Document struct {
	SHA256 plan.Digest `json:"sha256"`
	Text   string      `json:"text"`
}

// Plan is a plan's canonical bytes.
type Plan = Document

// Policy is a policy's canonical bytes under its version.
type Policy struct {
	Version   string `json:"version"`
	Canonical string `json:"canonical"`
}

// Request is one opening of the gate.
type Request struct {
	RequestID string          `json:"request_id"`
	PlanHash  plan.Digest     `json:"plan_hash"`
	OpenedAt  time.Time       `json:"opened_at"` // the workflow's time
	DecideBy  time.Time       `json:"decide_by"`
	Terms     approvals.Terms `json:"terms"` // as they were recorded
	// Notify names, for each event, the channels through which people are told of
	// it. Documents of versions before it leave it out.
	Notify map[workflows.Event][]string `json:"notify,omitempty"`
	// Grant is what the request led to, with every confirmation given since; nil
	// when it led to none.
	Grant *approvals.Grant `json:"grant"`
}

// Judgement is one batch of words that were judged together, and what they were
// judged against.
type Judgement struct {
	About     Topic  `json:"about"`
	RequestID string `json:"request_id"` // the request that stood then; empty before there was one
	// Phase and Confirm are of a judgement about a plan: see approvals.Request.
	Phase   approvals.Phase `json:"phase,omitempty"`
	Confirm []string        `json:"confirm,omitempty"`
	// Policy is of one about effects: the version of the policy by which it was
	// judged, where that is a later one than the request's.
	Policy string `json:"approval_policy_version,omitempty"`
	// Waiting, Resolved and Ended are of one about effects: see approvals.Doubts. What
	// documents of earlier versions have as asked_anew is not looked at.
	Waiting  []approvals.InDoubt `json:"waiting,omitempty"`
	Resolved []approvals.InDoubt `json:"resolved,omitempty"`
	Ended    bool                `json:"ended,omitempty"`
	Words    []Word              `json:"words"`
}

// Topic is what a word is about.
type Topic string

// The topics.
const (
	AboutPlan   Topic = "plan"   // a decision
	AboutEffect Topic = "effect" // a resolution
)

// Word is what one person sent, as it came, and what became of it.
type Word struct {
	At    Place  `json:"event"`                // the event that brought it
	Raw   string `json:"raw,omitempty"`        // the JSON that was sent
	Bytes []byte `json:"raw_base64,omitempty"` // in place of Raw, what is no UTF-8
	// Unreadable says why there is no JSON.
	Unreadable string    `json:"unreadable,omitempty"`
	Via        string    `json:"via"`
	ReadAt     time.Time `json:"read_at"` // the workflow's time when it was read
	Late       bool      `json:"late,omitempty"`
	// Verdict is what the judge said; of an unjudged word it is the zero Verdict.
	Verdict approvals.Verdict `json:"verdict"`
	// Overtaken says that the word was accepted and that the run had gone on
	// meanwhile, so that it changed nothing.
	Overtaken bool `json:"overtaken,omitempty"`
}

// Place names an event: of the execution at that index, the event of that id.
type Place struct {
	Execution int   `json:"execution"`
	ID        int64 `json:"id"`
}

// Action is all that was begun for one action of a plan.
type Action struct {
	PlanHash plan.Digest `json:"plan_hash"`
	ActionID string      `json:"action_id"`
	Tries    []Try       `json:"tries"`
}

// Try is one activity execution. The history has of its attempts the number,
// the last one in full, and the failure of the one before.
type Try struct {
	Scheduled   Place     `json:"event"` // the event that scheduled it
	Activity    string    `json:"activity"`
	Key         string    `json:"idempotency_key"`
	ScheduledAt time.Time `json:"scheduled_at"`
	Attempt     int32     `json:"attempt"` // 0: none has begun, or ended, yet
	StartedAt   time.Time `json:"started_at,omitzero"`
	Worker      string    `json:"worker,omitempty"`
	Before      string    `json:"failure_before,omitempty"`
	EndedAt     time.Time `json:"ended_at,omitzero"`
	Ending      Ending    `json:"ending,omitempty"`
	Failure     *Failure  `json:"failure,omitempty"`

	// Grant is the digest of the grant that execute_action was given, in
	// canonical JSON; Done is its result.
	Grant plan.Digest                    `json:"grant_sha256,omitzero"`
	Done  *workflows.ExecuteActionResult `json:"result,omitempty"`

	// Word and Claim are the resolution that settle_action was given; Settled
	// is its result.
	Word    *workflows.Resolved           `json:"resolution,omitempty"`
	Claim   int64                         `json:"claim,omitempty"`
	Settled *workflows.SettleActionResult `json:"standing,omitempty"`
}

// Ending is how an activity execution ended; empty while it has not.
type Ending string

// The endings.
const (
	Completed Ending = "completed"
	Failed    Ending = "failed"
	TimedOut  Ending = "timed_out"
	Canceled  Ending = "canceled"
)

// Failure is why an activity execution ended without a result: the class that
// the fault has, and its message, which holds no secret.
type Failure struct {
	Class   string `json:"class"`
	Message string `json:"message"`
}

// Notice is how people were told of something.
type Notice struct {
	Key       string          `json:"key"`
	Event     workflows.Event `json:"about"`
	Channel   string          `json:"channel"`
	At        time.Time       `json:"at"`
	RequestID string          `json:"request_id"`
	PlanHash  plan.Digest     `json:"plan_hash"`
	Waiting   []string        `json:"waiting,omitempty"`
	Ending    Ending          `json:"ending,omitempty"`
	Answer    string          `json:"answer,omitempty"`
	Failure   *Failure        `json:"failure,omitempty"`
}

// Result is where the run stood, or how it ended.
type Result struct {
	Status      workflows.RunStatus `json:"status"`
	Reason      string              `json:"reason,omitempty"`
	Total       int                 `json:"actions"` // of the last plan
	Done        int                 `json:"done"`
	AlreadyDone int                 `json:"already_done"` // of those done, before this run came to them
	EffectCount *int                `json:"effect_count,omitempty"`
	Requests    int                 `json:"requests"` // how often the gate was opened
	Begun       int                 `json:"begun"`    // how often an action was
	// Verdicts counts what became of every word, by the code of its verdict.
	Verdicts []workflows.CodeCount `json:"verdicts,omitempty"`
	Report   *Document             `json:"report,omitempty"`
}

// Parse reads a bundle, and refuses every document that this version would not
// have written: unknown, missing and doubled members included. So nothing
// that the digest covers is dropped, and nothing is filled in.
func Parse(raw []byte) (Bundle, error) {
	if len(raw) > MaxBytes {
		return Bundle{}, fmt.Errorf("the bundle has %d bytes; at most %d are read", len(raw), MaxBytes)
	}
	canonical, err := plan.CanonicalizeUpTo(raw, maxValues)
	if err != nil {
		return Bundle{}, fmt.Errorf("the bundle is %w", err)
	}
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(canonical, &head); err != nil || head.Format != Format {
		return Bundle{}, fmt.Errorf("the format is %.40q; this version reads %q", head.Format, Format)
	}
	var b Bundle
	decoder := json.NewDecoder(bytes.NewReader(canonical))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&b); err != nil {
		return Bundle{}, fmt.Errorf("not a bundle: %w", err)
	}
	again, err := canonicalOf(b)
	if err != nil {
		return Bundle{}, err
	}
	if !bytes.Equal(again, canonical) {
		return Bundle{}, errors.New("not a bundle as this version writes it: a member is missing, empty or in other letter case")
	}
	return b, nil
}

// canonicalOf is a value's JSON in the form of RFC 8785.
func canonicalOf(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return plan.CanonicalizeUpTo(raw, maxValues)
}

// digestOf is the digest of a value's canonical JSON.
func digestOf(v any) (plan.Digest, error) {
	canonical, err := canonicalOf(v)
	return plan.Sum(canonical), err
}

// GrantDigest is the digest of a grant in canonical JSON, without the execution
// that it belongs to: what was granted goes on in the one that continues it.
func GrantDigest(g approvals.Grant) (plan.Digest, error) {
	g.Execution = ""
	return digestOf(g)
}
