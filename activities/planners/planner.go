// Package planners defines what a planner is: something that turns a task and
// its documents into proposed actions. What a planner returns is a proposal
// and nothing more; tools, previews, risk, keys, policy and approval are added
// and checked by others.
package planners

import (
	"context"

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
	Revision                 int
	Documents                []Document // in the manifest's order
	Targets                  []Target   // the tools and targets that the task allows
	Feedback                 []string   // of approvers who asked for a revision, oldest first
}

// Document is one collected document.
type Document struct {
	Path      string // slash-separated, relative to the source, as in the manifest
	Source    string // the name of the source root
	MediaType string // "text/markdown", "text/plain", "text/html", "text/csv", "application/json", "application/yaml"
	// Text is valid UTF-8 and its lines end in "\n". HTML has become readable
	// text, as sources.Decode describes.
	Text string
	// Digest is of the document's bytes, as in the manifest; zero when the
	// caller does not know it.
	Digest plan.Digest
}

// Target is a tool that the task allows and where it may write.
type Target struct {
	Tool string // "gitpages"
	Name string // "kb" or "kb/sub", as the task names it
}

// Draft is a planner's proposal. ID and DependsOn are the planner's.
type Draft struct {
	ModelID       string
	PromptVersion string
	Notes         []string // what was left out, or what the approver should know
	Actions       []DraftAction
}

// DraftAction is one proposed action.
type DraftAction struct {
	ID        string
	DependsOn []string
	Proposal  tools.Proposal
}
