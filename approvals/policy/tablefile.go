package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// maxExamples bounds a table.
const maxExamples = 1000

// ParseTable reads a table of examples: one YAML mapping with the list examples,
// each as below. name, requester, actions and expect are required; of an action,
// tool is. An action that leaves out its id is a1, a2 and so on, by its place;
// its risk is low and its class conditional; it writes to a target that has no
// name and has no parameters. replaces and done say true for an action that
// replaces an earlier version of itself, or was done already.
//
//	examples:
//	  - name: a large payment
//	    tenant: acme
//	    business_id: invoice-1882
//	    planner: outline/1
//	    requester: ann.wu@example.com
//	    actions:
//	      - {tool: pay, target: bank/hausmann, risk: high, class: keyed, parameters: {amount: 82000}}
//	    expect:
//	      quorums: [1 of editors, 2 of security]   # or asks: nobody, or error: a part of its text
//	      proof: signature
//	      shared: false
//	      requester_may_approve: false
//	      confirm: [a1]
//	      decide_within: 4h
//	      grant_life: 1h
//	      ask_again: 2
//	      remind_after: [1h, 3h]
//	      resolvers: [bo.lin@example.com, cy.ma@example.com]
//	      rules: [payments]                        # the rules that match, or default
//
// Nothing is compared but what expect says. Errors are "filename:line: reason".
func ParseTable(raw []byte, filename string) (Table, error) {
	file := source{name: filename}
	root, err := file.document(raw, maxFileBytes)
	if err != nil {
		return Table{}, err
	}
	head := file.section(root, "a table is a mapping with examples", "examples")
	head.require("examples")
	var t Table
	nodes := head.list("examples")
	if head.err == nil && (len(nodes) == 0 || len(nodes) > maxExamples) {
		head.refuse(head.at("examples"), "there are %d examples; 1 to %d are allowed", len(nodes), maxExamples)
	}
	lines := map[string]int{}
	for _, node := range nodes {
		if head.err != nil {
			break
		}
		var one example
		one, head.err = file.example(node)
		if first, twice := lines[one.name]; twice {
			head.refuse(one.line, "the example %s stands in line %d already", plan.Escape(shorten(one.name)), first)
		}
		lines[one.name] = one.line
		t.examples = append(t.examples, one)
	}
	if head.err != nil {
		return Table{}, head.err
	}
	return t, nil
}

func (s source) example(node *yaml.Node) (example, error) {
	one := s.section(node, "an example is a mapping with name, requester, actions and expect",
		"name", "tenant", "business_id", "planner", "requester", "actions", "expect")
	one.require("name", "requester", "actions", "expect")
	e := example{line: node.Line, want: map[aspect]string{}}
	one.text("name", &e.name)
	one.text("tenant", &e.plan.Tenant)
	one.text("business_id", &e.plan.BusinessID)
	one.text("planner", &e.plan.Planner)
	one.text("requester", &e.requester)
	for i, node := range one.list("actions") {
		if one.err == nil {
			var a plan.Action
			a, one.err = s.action(node, "a"+strconv.Itoa(i+1))
			e.plan.Actions = append(e.plan.Actions, a)
		}
	}
	if one.err == nil {
		one.err = s.expectation(one.found["expect"], &e)
	}
	return e, one.err
}

func (s source) action(node *yaml.Node, id string) (plan.Action, error) {
	one := s.section(node, "an action is a mapping with tool",
		"id", "tool", "tool_version", "target", "within", "item", "class", "risk", "semantic_version", "replaces", "done", "parameters")
	one.require("tool")
	a := plan.Action{ID: id, ToolVersion: "1", SemanticVersion: "v1"}
	class, risk := string(plan.Conditional), string(plan.LowRisk)
	var replaces, done bool
	one.text("id", &a.ID)
	one.text("tool", &a.Tool)
	one.text("tool_version", &a.ToolVersion)
	one.text("target", &a.Target)
	one.text("within", &a.Within)
	one.text("item", &a.Item)
	one.oneOf("class", &class)
	one.oneOf("risk", &risk)
	one.text("semantic_version", &a.SemanticVersion)
	one.truth("replaces", &replaces)
	one.truth("done", &done)
	a.DeliveryClass, a.Risk = plan.DeliveryClass(class), plan.Risk(risk)
	if replaces {
		a.Replaces = "an earlier version"
	}
	if done {
		a.Done = &plan.Receipt{}
	}
	a.Parameters = []byte("{}")
	if given := one.found["parameters"]; given != nil && one.err == nil {
		a.Parameters, one.err = s.json(given)
	}
	return a, one.err
}

// oneOf reads a word that a variable of that name can have.
func (s *section) oneOf(name string, to *string) {
	s.text(name, to)
	if s.err == nil && !slices.Contains(wordsOf(name), *to) {
		s.refuse(s.at(name), "%s is %+q; known are %s", name, shorten(*to), wordsOf(name))
	}
}

// expectation reads what is expected, each aspect as the text that it has when
// it is compared.
func (s source) expectation(node *yaml.Node, e *example) error {
	readers := map[aspect]func(*section) string{
		asks:         (*section).wantNobody,
		quorums:      (*section).wantQuorums,
		shared:       func(x *section) string { return x.wantTruth(shared) },
		proof:        (*section).wantProof,
		selfApproval: func(x *section) string { return x.wantTruth(selfApproval) },
		confirm:      func(x *section) string { return x.wantTexts(confirm) },
		decideWithin: func(x *section) string { return x.wantPeriod(decideWithin) },
		grantLife:    func(x *section) string { return x.wantPeriod(grantLife) },
		askAgain:     (*section).wantNumber,
		remindAfter:  (*section).wantPeriods,
		resolvers:    (*section).wantPeople,
		rules:        func(x *section) string { return x.wantTexts(rules) },
	}
	known := []string{"error"}
	for _, a := range slices.Sorted(maps.Keys(readers)) {
		known = append(known, string(a))
	}
	one := s.section(node, "expect is not a mapping of what is expected", known...)
	one.text("error", &e.wantError)
	switch {
	case one.err != nil:
		return one.err
	case len(one.found) == 0:
		one.refuse(node.Line, "expect says nothing, so nothing could fail")
	case one.has("error") && (len(one.found) > 1 || e.wantError == ""):
		one.refuse(one.at("error"), "error is a part of a text, and stands alone")
	}
	for a, read := range readers {
		if one.has(string(a)) {
			e.want[a] = read(one)
		}
	}
	return one.err
}

func (s *section) wantNobody() string {
	var text string
	s.text(string(asks), &text)
	if text != "nobody" {
		s.refuse(s.at(string(asks)), "asks is %+q; nobody is all that it says, and quorums says the rest", shorten(text))
	}
	return text
}

func (s *section) wantQuorums() string {
	var texts []string
	s.each(string(quorums), func(text string) error {
		need, name, err := cutQuorum(text)
		texts = append(texts, fmt.Sprintf("%d of %s", need, name))
		return err
	})
	return sortedText(texts)
}

func (s *section) wantProof() string {
	var want approvals.Proof
	s.proof(&want)
	return string(want)
}

func (s *section) wantTruth(a aspect) string {
	var want bool
	s.truth(string(a), &want)
	return strconv.FormatBool(want)
}

func (s *section) wantTexts(a aspect) string {
	var texts []string
	s.each(string(a), func(text string) error {
		if text == "" {
			return errors.New("a text is empty")
		}
		texts = append(texts, text)
		return nil
	})
	return sortedText(texts)
}

func (s *section) wantPeriod(a aspect) string {
	var want time.Duration
	s.period(string(a), &want)
	return want.String()
}

func (s *section) wantPeriods() string {
	var want []time.Duration
	for _, node := range s.list(string(remindAfter)) {
		want = append(want, s.periodAt(node, string(remindAfter)))
	}
	slices.Sort(want)
	return periodsText(want)
}

func (s *section) wantNumber() string {
	var want int
	s.number(string(askAgain), maxAskAgain, &want)
	return strconv.Itoa(want)
}

func (s *section) wantPeople() string {
	var want []string
	s.people(string(resolvers), &want)
	return sortedText(want)
}
