package outline

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// tool is the one tool that the planner proposes to use.
const tool = "gitpages"

// maxDraftBytes bounds all pages together. A plan carries each page twice, as
// it is and as a diff, within plan.MaxBytes.
const maxDraftBytes = plan.MaxBytes * 3 / 8

// Planner is the outline planner. Its zero value is ready to use.
type Planner struct {
	// SourceURLs gives, by the name of a source, where people read its files
	// on the web: a URL to which a file's path and "#L12" can be appended. The
	// links into a source that has none are of the form source:ROOT/PATH#L12.
	SourceURLs map[string]string
}

// Name is the planner's name in tasks and plans.
func (Planner) Name() string { return "outline" }

// Version changes when the same documents would give other pages.
func (Planner) Version() string { return "1" }

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
	topics, notes, err := readTopics(ctx, documents, asked)
	if err != nil {
		return planners.Draft{}, err
	}
	report, why := chooseWeek(asked, topics)
	draft := planners.Draft{Notes: slices.Concat([]string{why}, wishes.notes, notes)}
	if strings.HasSuffix(target.Name, ".md") {
		return draft, p.writeOne(&draft, target, report, topics)
	}
	return draft, p.write(&draft, target, report, topics)
}

// writeOne adds the one page that the task allows: the weekly report, or, when
// nothing is dated, the index. It links to no other page, for there is none.
func (p Planner) writeOne(draft *planners.Draft, target planners.Target, report week, topics []topic) error {
	l := links{prefixes: p.SourceURLs, alone: true}
	ws := wordsFor(mostlyChinese(topics))
	pg := weeklyPage(report, topics, ws, l)
	if report.isZero() {
		pg = indexPage(report, topics, ws, l)
	}
	folder, name := path.Split(target.Name)
	pg.path = name
	proposal, _, err := pg.proposal(planners.Target{Tool: target.Tool, Name: strings.TrimSuffix(folder, "/")})
	if err != nil {
		return refuse("outline_page", err.Error())
	}
	draft.Actions = []planners.DraftAction{{ID: actionID("page-", strings.ToLower(strings.TrimSuffix(name, ".md"))), Proposal: proposal}}
	return nil
}

// write adds the pages to the draft, the index last, because it links to all
// the others.
func (p Planner) write(draft *planners.Draft, target planners.Target, report week, topics []topic) error {
	l := links{prefixes: p.SourceURLs}
	ws := wordsFor(mostlyChinese(topics))
	total := 0
	add := func(id string, after []string, pg *page) error {
		proposal, size, err := pg.proposal(target)
		if err != nil {
			return refuse("outline_page", err.Error())
		}
		if total += size; total > maxDraftBytes {
			return refuse("outline_too_large", fmt.Sprintf(
				"the pages of %d documents have more than the %d bytes that one plan carries; %s", len(topics), maxDraftBytes, narrow))
		}
		draft.Actions = append(draft.Actions, planners.DraftAction{ID: id, DependsOn: after, Proposal: proposal})
		return nil
	}
	if !report.isZero() {
		if err := add(actionID("weekly-", strings.ToLower(report.String())), nil, weeklyPage(report, topics, ws, l)); err != nil {
			return err
		}
	}
	for _, t := range topics {
		if err := add(actionID("topic-", t.slug), nil, topicPage(t, l)); err != nil {
			return err
		}
	}
	var others []string
	for _, a := range draft.Actions {
		others = append(others, a.ID)
	}
	return add("index", others, indexPage(report, topics, ws, l))
}

const narrow = "narrow the task's include and exclude globs, or run it for one folder at a time"

// readTopics understands the documents, in the order of their paths, whatever
// the order in which they came.
func readTopics(ctx context.Context, documents []planners.Document, asked week) (topics []topic, notes []string, err error) {
	documents = slices.SortedFunc(slices.Values(documents), func(a, b planners.Document) int {
		return strings.Compare(a.Source+"/"+a.Path, b.Source+"/"+b.Path)
	})
	for _, d := range documents {
		if ctx.Err() != nil {
			return nil, nil, faults.Name(ctx.Err())
		}
		t := readTopic(d, asked) //nolint:contextcheck // a page within a text is short, and reading it waits for nothing
		name := plan.Escape(t.name())
		if strings.TrimSpace(d.Text) == "" {
			notes = append(notes, name+" has no text and gets no page")
			continue
		}
		if t.problem != "" {
			notes = append(notes, name+" "+t.problem)
		}
		if n := countInvisible(d.Text); n > 0 {
			notes = append(notes, fmt.Sprintf("%s holds %d invisible characters; pages show them as escapes", name, n))
		}
		topics = append(topics, t)
	}
	const others = 2 // the index and the weekly report
	switch {
	case len(topics) == 0:
		return nil, nil, refuse("outline_empty", "no document has text to make pages from; correct the task's source")
	case len(topics) > plan.MaxActions-others:
		return nil, nil, refuse("outline_too_many", fmt.Sprintf(
			"%d documents would need more than the %d actions of one plan; %s", len(topics), plan.MaxActions, narrow))
	}
	giveSlugs(topics)
	return topics, notes, nil
}

// countInvisible counts what pages show as escapes.
func countInvisible(text string) int {
	n := 0
	for _, r := range emojiForms.Replace(text) {
		if !plainly(r) && string(r) != blockBreak && plan.Escape(string(r)) != string(r) {
			n++
		}
	}
	return n
}

// plainly reports whether r is one of the many that need no closer look.
func plainly(r rune) bool {
	return ' ' <= r && r <= '~' || '\u4E00' <= r && r <= '\u9FFF' || r == '\n' || r == '\t'
}

func mostlyChinese(topics []topic) bool {
	n := 0
	for _, t := range topics {
		if t.chinese {
			n++
		}
	}
	return 2*n > len(topics)
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
