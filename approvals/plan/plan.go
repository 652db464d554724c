package plan

import (
	"encoding/json"
	"time"
)

// Format names the layout of a plan document.
const Format = "holdpoint.plan/1"

// MaxActions bounds a plan: what a person can be asked to approve at once, and
// what one run's history carries.
const MaxActions = 1000

// MaxBytes bounds a plan's canonical form.
const MaxBytes = 16 << 20

// DeliveryClass says who makes sure that an action's effect happens once.
type DeliveryClass string

// The delivery classes, from the strongest guard to none.
const (
	// Transactional: effect and receipt commit together in the target database.
	Transactional DeliveryClass = "transactional"
	// Conditional: the target refuses a second effect (compare-and-set or create-if-absent).
	Conditional DeliveryClass = "conditional"
	// Keyed: the remote deduplicates by the idempotency key inside its window.
	Keyed DeliveryClass = "keyed"
	// Lookup: an authoritative query finds our marker.
	Lookup DeliveryClass = "lookup"
	// Once: nobody deduplicates; an unknown outcome goes to a person.
	Once DeliveryClass = "once"
)

// DeliveryClasses lists the classes, the one that promises most first.
func DeliveryClasses() []DeliveryClass {
	return []DeliveryClass{Transactional, Conditional, Keyed, Lookup, Once}
}

// Risk is an action's risk as its tool declares it, never as a model says.
type Risk string

// The risks a tool may declare.
const (
	LowRisk    Risk = "low"
	MediumRisk Risk = "medium"
	HighRisk   Risk = "high"
)

// Risks lists the risks, the lowest first.
func Risks() []Risk { return []Risk{LowRisk, MediumRisk, HighRisk} }

// Plan is all that an approver relies on. Its canonical bytes are what is
// hashed, stored, shown, approved and executed.
type Plan struct {
	Format          string   `json:"format"`
	RunID           string   `json:"run_id"`
	Tenant          string   `json:"tenant"`
	BusinessID      string   `json:"business_id"`
	Revision        int      `json:"revision"` // 0 for a run's first plan
	Goal            string   `json:"goal"`
	ContextDigest   Digest   `json:"context_digest"`
	Planner         string   `json:"planner"`
	ModelID         string   `json:"model_id"`       // empty when no model was asked
	PromptVersion   string   `json:"prompt_version"` // empty when no model was asked
	WorkflowVersion string   `json:"workflow_version"`
	Notes           []string `json:"notes"` // what the planner left out or wants known
	Actions         []Action `json:"actions"`
}

// Action is one write to one external system.
type Action struct {
	ID           string `json:"id"` // unique in the plan: letters, digits, '-', '_', '.'
	Tool         string `json:"tool"`
	ToolVersion  string `json:"tool_version"`
	SchemaDigest Digest `json:"schema_digest"` // of the tool's parameter schema
	// ToolDigest is of all that the tool's declaration says of what is sent,
	// where to, and how a lost answer is recovered. It is left out when it is
	// zero: the tool has its version alone, or the plan is older than the field.
	ToolDigest Digest `json:"tool_digest,omitzero"`
	Target     string `json:"target"` // e.g. "kb/weekly/2026-W48.md"
	// Within is the place that the task names for the tool, when the target is one
	// below it that the planner has chosen. It is left out when the task names the
	// target itself, or the plan is older than the field.
	Within     string          `json:"within,omitempty"`
	Item       string          `json:"item"` // business identity inside the target, often empty
	Parameters json.RawMessage `json:"parameters"`
	DependsOn  []string        `json:"depends_on"`
	// Documents are those of the context from which the planner says that it has
	// derived the action, as "source/path". It is the planner's word alone.
	Documents       []string      `json:"documents,omitempty"`
	DeliveryClass   DeliveryClass `json:"delivery_class"`
	Risk            Risk          `json:"risk"`
	SemanticVersion string        `json:"semantic_version"`
	IdempotencyKey  string        `json:"idempotency_key"`
	Precondition    string        `json:"precondition"` // the target's state that the plan was made for; the tool's own form
	Preview         string        `json:"preview"`      // what a person reads, e.g. a diff
	Replaces        string        `json:"replaces"`     // what an earlier version of this action did, empty if nothing
	Done            *Receipt      `json:"done"`         // set when the ledger already holds this very action
}

// Receipt proves an effect: what the target answered.
type Receipt struct {
	IdempotencyKey string    `json:"idempotency_key"`
	Tool           string    `json:"tool"`
	Target         string    `json:"target"`
	Ref            string    `json:"ref"`    // the target's own id of the effect, e.g. a commit
	Detail         string    `json:"detail"` // one line for people
	At             time.Time `json:"at"`     // UTC, when the effect was made, to the second
}
