package notify

import (
	"fmt"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// fields are what a template can name. What a task, a model or an approver
// wrote stands in them escaped, in one line, so that none of it can draw on a
// screen, reorder what is read, or become a header.
type fields struct {
	Event       string // as it is configured: approval.requested
	Title       string // the same in words: Approval needed
	Explanation string // and in a sentence or two

	Key        string
	RunID      string
	Tenant     string
	BusinessID string
	Requester  string
	RequestID  string
	PlanHash   string
	Risk       string
	Actions    int
	People     []string
	Needs      string
	Waiting    []string
	At         string
	Until      string
	Command    string
}

// Bounds of what a mail shows, so that no plan makes one that a server refuses.
const (
	maxShown = 1000 // bytes of one text
	maxList  = 20   // names in a list
)

func fieldsOf(n workflows.Notice) fields {
	w := wordingOf(n.Event)
	f := fields{
		Event: shown(string(n.Event)), Title: shown(w.title), Explanation: w.explanation,
		Key: shown(n.Key), RunID: shown(n.RunID), Tenant: shown(n.Tenant), BusinessID: shown(n.BusinessID),
		Requester: shown(n.Requester), RequestID: shown(n.RequestID), PlanHash: n.PlanHash.String(), Risk: shown(string(n.Risk)),
		Actions: n.Actions, People: list(n.People), Needs: shown(n.Needs), Waiting: list(n.Waiting),
		At: moment(n.At), Command: shown(n.Command),
	}
	if n.Until != nil {
		f.Until = moment(*n.Until)
	}
	return f
}

func shown(text string) string { return plan.Clip(plan.Escape(text), maxShown) }

func list(texts []string) []string {
	var out []string
	for i, text := range texts {
		if i == maxList {
			return append(out, fmt.Sprintf("and %d more", len(texts)-maxList))
		}
		out = append(out, shown(text))
	}
	return out
}

// moment is a time as people write it down, with its zone.
func moment(t time.Time) string { return t.UTC().Format("Monday, 2006-01-02 15:04 UTC") }
