package outline

import (
	"context"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
)

// tool is the one tool that the planner proposes to use.
const tool = "gitpages"

// Planner is the outline planner. Its zero value is ready to use.
type Planner struct {
	// SourceURLs gives, by the name of a source, where people read its files
	// on the web: a URL to which a file's path and "#L12" can be appended. The
	// links into a source that has none are of the form source:ROOT/PATH#L12.
	SourceURLs map[string]string
}

// Name is the planner's name in tasks and plans.
func (Planner) Name() string { return "outline" }

// Version changes when the same documents would give other proposals.
func (Planner) Version() string { return "2" }

// Plan proposes a page for each document, an index of them, and, when the
// documents report of days, a weekly report. Every error is a *faults.Fault.
func (p Planner) Plan(ctx context.Context, r planners.Request) (planners.Draft, error) {
	target, err := targetOf(r.Targets)
	if err != nil {
		return planners.Draft{}, err
	}
	wishes := readFeedback(r.Feedback)
	documents := wishes.choose(r.Documents)
	asked, err := askedWeek(r, wishes)
	if err != nil {
		return planners.Draft{}, err
	}
	w := writer{target: target, links: links{prefixes: p.SourceURLs, alone: strings.HasSuffix(target.Name, ".md")}, asked: asked}
	if err := w.read(ctx, documents); err != nil {
		return planners.Draft{}, err
	}
	report, why := chooseWeek(asked, w.topics)
	actions, err := w.write(report)
	if err != nil {
		return planners.Draft{}, err
	}
	return planners.Draft{Notes: slices.Concat([]string{why}, wishes.notes, w.notes()), Actions: actions}, nil
}

// targetOf returns the first knowledge base that the task allows.
func targetOf(targets []planners.Target) (planners.Target, error) {
	for _, t := range targets {
		if t.Tool == tool {
			return t, nil
		}
	}
	return planners.Target{}, refuse("outline_no_target", "the outline planner writes pages with the tool "+tool+", which the task does not allow")
}

func refuse(code, reason string) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: reason}
}
