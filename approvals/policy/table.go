package policy

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Table is a list of examples with what a policy must ask for each: the tests
// of whoever writes policies.
type Table struct{ examples []example }

// example is one plan, and what is expected. Aspects that are not expected are
// not compared.
type example struct {
	name      string
	line      int
	plan      plan.Plan
	requester string
	want      map[aspect]string
	wantError string // a part of the error's text; empty: none
}

// Outcome is what became of one example.
type Outcome struct {
	Name string
	Line int // of the example in its file
	// Differs says what is not as expected, an aspect each: "proof: want
	// signature, got claim". It is empty when all is.
	Differs []string
}

// OK reports whether the example came out as expected.
func (o Outcome) OK() bool { return len(o.Differs) == 0 }

// Run evaluates p for every example, in the table's order.
func (t Table) Run(p *Policy) []Outcome {
	outcomes := make([]Outcome, 0, len(t.examples))
	for _, e := range t.examples {
		outcomes = append(outcomes, Outcome{Name: e.name, Line: e.line, Differs: e.differs(p)})
	}
	return outcomes
}

func (e example) differs(p *Policy) []string {
	terms, err := p.Evaluate(e.plan, e.requester)
	switch {
	case err != nil && e.wantError == "":
		return []string{"error: want none, got " + err.Error()}
	case err != nil && !strings.Contains(err.Error(), e.wantError):
		return []string{fmt.Sprintf("error: want %q, got %s", e.wantError, err)}
	case err != nil:
		return nil
	case e.wantError != "":
		return []string{fmt.Sprintf("error: want %q, got none: %s", e.wantError, asksOf(terms))}
	}
	var differs []string
	for _, a := range slices.Sorted(maps.Keys(e.want)) {
		if got := a.of(terms); got != e.want[a] {
			differs = append(differs, fmt.Sprintf("%s: want %s, got %s", a, orNone(e.want[a]), orNone(got)))
		}
	}
	return differs
}

// aspect is a field of expect. Its value is compared as text.
type aspect string

const (
	asks         aspect = "asks"
	quorums      aspect = "quorums"
	shared       aspect = "shared"
	proof        aspect = "proof"
	selfApproval aspect = "requester_may_approve"
	confirm      aspect = "confirm"
	decideWithin aspect = "decide_within"
	grantLife    aspect = "grant_life"
	askAgain     aspect = "ask_again"
	remindAfter  aspect = "remind_after"
	resolvers    aspect = "resolvers"
	rules        aspect = "rules"
)

// of writes an aspect of terms as the reader of a table writes what it expects.
func (a aspect) of(t approvals.Terms) string {
	switch a {
	case asks:
		return asksOf(t)
	case quorums:
		var texts []string
		for _, q := range t.Quorums {
			texts = append(texts, fmt.Sprintf("%d of %s", q.Need, q.Group))
		}
		return sortedText(texts)
	case shared:
		return strconv.FormatBool(t.Shared)
	case proof:
		return string(t.Proof)
	case selfApproval:
		return strconv.FormatBool(t.SelfApproval)
	case confirm:
		return sortedText(t.Confirm)
	case decideWithin:
		return t.DecideWithin.String()
	case grantLife:
		return t.GrantLife.String()
	case askAgain:
		return strconv.Itoa(t.AskAgain)
	case remindAfter:
		return periodsText(t.RemindAfter)
	case resolvers:
		return resolversText(t.Resolvers)
	case rules:
		var names []string
		for _, r := range t.Reasons {
			names = append(names, r.Rule)
		}
		return sortedText(slices.Compact(names))
	default:
		return ""
	}
}

func asksOf(t approvals.Terms) string {
	if t.Unattended() {
		return "nobody"
	}
	return t.Asks()
}

func periodsText(periods []time.Duration) string {
	texts := make([]string, 0, len(periods))
	for _, p := range periods {
		texts = append(texts, p.String())
	}
	return strings.Join(texts, ", ")
}

// resolversText names the people alone where they are the same for all actions.
func resolversText(all []approvals.Resolvers) string {
	texts := make([]string, 0, len(all))
	for _, r := range all {
		text := strings.Join(r.Members, ", ")
		if len(r.Actions) > 0 {
			text = strings.Join(r.Actions, ", ") + ": " + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func sortedText(texts []string) string {
	return strings.Join(slices.Sorted(slices.Values(texts)), ", ")
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
