// Package planners defines what a planner is: something that turns a task and
// its documents into proposed actions. What a planner returns is a proposal
// and nothing more; tools, previews, risk, keys, policy and approval are added
// and checked by others.
package planners

import (
	"context"
	"encoding/json"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Planner proposes actions.
type Planner interface {
	// Name and Version identify the planner in the plan.
	Name() string
	Version() string
	// Plan reads the documents and proposes. Every error is a *faults.Fault.
	Plan(ctx context.Context, r Request) (Draft, error)
}

// Request is what a planner may know.
type Request struct {
	Tenant, BusinessID, Goal string
	RunID                    string
	// Execution tells a run that was started once more from the one before: what
	// was paid for that one is not taken for this.
	Execution string
	Revision  int
	Documents []Document // in the manifest's order
	Targets   []Target   // the tools and targets that the task allows
	Feedback  []string   // of approvers who asked for a revision, oldest first
	// Earlier is the plan that the latest feedback is of, or whose target has
	// changed since; nil for a run's first plan.
	Earlier *plan.Plan
	// Check makes the whole plan of proposals, and writes nothing: its error is the
	// *faults.Fault that would end the step, with an *InAction as its cause when it
	// is about one of them. A planner that can ask again does so with its reason.
	// It is for one caller at a time. Nil checks nothing.
	Check func(ctx context.Context, actions []DraftAction) error
}

// Document is one collected document.
type Document struct {
	Path      string // slash-separated, relative to the source, as in the manifest
	Source    string // the name of the source root
	MediaType string // "text/markdown", "text/plain", "text/html", "text/csv", "application/json", "application/yaml"
	// Text is the text of a document that is in memory; Load returns it. Where
	// Read is there it is empty.
	Text string
	// Read fetches the text from where it is stored, each time that it is called;
	// nil when Text is all. Every error is a *faults.Fault.
	Read func(ctx context.Context) (string, error)
	// Bytes fetches the bytes that the text was made of, at Digest; nil when the
	// caller has the text alone. Every error is a *faults.Fault.
	Bytes func(ctx context.Context) ([]byte, error)
	// Size is of the text, in bytes; 0 when the caller does not know it.
	Size int64
	// Digest is of the document's bytes, as in the manifest; zero when the
	// caller does not know it.
	Digest plan.Digest
}

// Target is a tool that the task allows and where it may write.
type Target struct {
	Tool string // "gitpages"
	Name string // "kb" or "kb/sub", as the task names it
	// Schema is the JSON Schema of the tool's parameters.
	Schema json.RawMessage
}

// Load returns the document's text: valid UTF-8, whose lines end in "\n". HTML
// has become readable text, as text.Decode describes. The documents of a task
// can be more than a worker's memory holds: a planner loads one after the other,
// and keeps what it needs of each.
func (d Document) Load(ctx context.Context) (string, error) {
	if d.Read == nil {
		return d.Text, nil
	}
	return d.Read(ctx)
}

// Draft is a planner's proposal. ID and DependsOn are the planner's.
type Draft struct {
	ModelID       string   // as the model's server reported it
	PromptVersion string   // name and digest of the prompt
	Notes         []string // what was left out, or what the approver should know
	Actions       []DraftAction
	Usage         Usage
}

// Usage is what a draft cost. It is zero when no model was asked.
type Usage struct {
	Calls        int   // made to the model's server by this attempt
	Stored       int   // replies that an earlier attempt had paid for
	InputTokens  int64 // of all replies that the draft is made of, but for those Unreported
	OutputTokens int64
	Unreported   int    // replies of which the server did not say, believably, how many tokens they took
	Cost         string // "0.0123 USD" by the price table, of those tokens; empty without one, and without a token
}

// DraftAction is one proposed action.
type DraftAction struct {
	ID        string
	DependsOn []string
	Proposal  tools.Proposal
	// Documents are those that the action was derived from, as "source/path", by
	// the planner's own word.
	Documents []string
}
