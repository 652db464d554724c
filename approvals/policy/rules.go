package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// fallbackName is the default's name among the reasons; no rule has it.
const fallbackName = "default"

// demandFields are what both the default and a rule may say.
var demandFields = []string{
	"quorums", "shared", "decide_within", "grant_life", "proof", "requester_may_approve", "confirm", "ask_again", "remind_after", "resolvers",
}

func (p *Policy) readDefault(file source, node *yaml.Node) error {
	s := file.section(node, "default is not a mapping with quorums, decide_within and grant_life", demandFields...)
	s.where = fallbackName
	s.require("quorums", "decide_within", "grant_life")
	p.fallback = p.readDemand(s, demand{proof: approvals.ByClaim})
	return s.err
}

func (p *Policy) readRules(file source, nodes []*yaml.Node) error {
	env, err := newMatchEnv()
	if err != nil {
		return err
	}
	if len(nodes) > maxRules {
		return file.fail(nodes[maxRules].Line, "there are %d rules; at most %d are allowed", len(nodes), maxRules)
	}
	lines := map[string]int{}
	for _, node := range nodes {
		s := file.section(node, "a rule is a mapping with name and match", slices.Concat([]string{"name", "match", "approval"}, demandFields)...)
		s.require("name", "match")
		r := rule{}
		s.word("name", &r.name)
		switch first, twice := lines[r.name]; {
		case s.err != nil:
		case r.name == fallbackName:
			s.refuse(s.at("name"), "a rule cannot be named %s, which is what no rule matches", fallbackName)
		case twice:
			s.refuse(s.at("name"), "the rule %s stands in line %d already", r.name, first)
		}
		lines[r.name] = s.at("name")
		s.where = "rule " + r.name
		r.match = s.match(env)
		r.demand = p.readRule(s)
		if s.err != nil {
			return s.err
		}
		p.rules = append(p.rules, r)
	}
	slices.SortFunc(p.rules, func(a, b rule) int { return strings.Compare(a.name, b.name) })
	return nil
}

// match reads and compiles a rule's expression.
func (s *section) match(env *matchEnv) *match {
	var text string
	s.text("match", &text)
	if s.err != nil {
		return nil
	}
	m, line, err := env.compile(text)
	if err != nil {
		s.refuse(textLine(s.found["match"])(line), "match %s", err)
	}
	return m
}

// readRule reads what a rule asks for. What it leaves out is the default's.
func (p *Policy) readRule(s *section) demand {
	if !s.has("approval") {
		return p.readDemand(s, p.fallback)
	}
	var approval string
	s.text("approval", &approval)
	if s.err == nil && approval != "none" {
		s.refuse(s.at("approval"), "approval is %+q; write none, or leave it out where people are asked", shorten(approval))
	}
	for _, name := range demandFields {
		if s.has(name) && name != "grant_life" && name != "resolvers" {
			s.refuse(s.at(name), "%s says nothing where nobody is asked", name)
		}
	}
	d := p.fallback
	d.nobody, d.quorums, d.confirm, d.remindAfter = true, nil, false, nil
	s.period("grant_life", &d.grantLife)
	p.readResolvers(s, &d)
	return d
}

// readDemand reads a demand over another one, whose values hold where nothing
// is said.
func (p *Policy) readDemand(s *section, d demand) demand {
	p.readQuorums(s, &d)
	s.truth("shared", &d.shared)
	s.period("decide_within", &d.decideWithin)
	s.period("grant_life", &d.grantLife)
	s.proof(&d.proof)
	s.truth("requester_may_approve", &d.selfApproval)
	s.truth("confirm", &d.confirm)
	s.number("ask_again", maxAskAgain, &d.askAgain)
	s.reminders(&d)
	p.readResolvers(s, &d)
	if s.err == nil {
		p.checkFilled(s, d)
	}
	return d
}

func (s *section) proof(to *approvals.Proof) {
	var text string
	s.text("proof", &text)
	switch proof := approvals.Proof(text); {
	case s.err != nil, !s.has("proof"):
	case proof == approvals.BySignature, proof == approvals.ByClaim:
		*to = proof
	default:
		s.refuse(s.at("proof"), "proof is %+q; write %s or %s", shorten(text), approvals.BySignature, approvals.ByClaim)
	}
}

// readQuorums reads a list such as ["1 of editors", "2 of security"].
func (p *Policy) readQuorums(s *section, d *demand) {
	if s.err != nil || !s.has("quorums") {
		return
	}
	for _, node := range s.list("quorums") {
		if node.Kind == yaml.MappingNode {
			s.refuse(node.Line, "quorums: %s", writeQuorum(node))
		}
	}
	quorums := map[string]int{}
	s.each("quorums", func(text string) error {
		need, name, err := cutQuorum(text)
		if err != nil {
			return err
		}
		g, err := p.group(name)
		switch {
		case err != nil:
			return err
		case quorums[name] != 0:
			return fmt.Errorf("%s stands there twice", name)
		case need > len(g.members):
			return fmt.Errorf("%s has only %d members; %d of them can never be found", name, len(g.members), need)
		}
		quorums[name] = need
		return nil
	})
	if len(quorums) == 0 {
		s.refuse(s.at("quorums"), "quorums is empty; somebody must be asked, unless a rule says approval: none")
	}
	d.quorums = quorums
}

// writeQuorum says how to write a quorum that stands there as "security: 2".
func writeQuorum(node *yaml.Node) string {
	if len(node.Content) == 2 {
		quorum := node.Content[1].Value + " of " + node.Content[0].Value
		if _, _, err := cutQuorum(quorum); err == nil {
			return "write " + quorum + ", without a colon"
		}
	}
	return `a quorum is a text, such as "2 of security"`
}

// cutQuorum reads a text such as "2 of security".
func cutQuorum(text string) (need int, name string, err error) {
	count, name, ok := strings.Cut(text, " of ")
	need, err = whole(count)
	if !ok || err != nil || need == 0 || checkName(name) != nil {
		return 0, "", fmt.Errorf(`%+q is not a number of people and their group, such as "2 of security"`, shorten(text))
	}
	return need, name, nil
}

func (p *Policy) group(name string) (group, error) {
	g, ok := p.groups[name]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(p.groups)), ", ")
		return group{}, fmt.Errorf("there is no group %+q; the groups are %s", shorten(name), plan.Clip(known, 500))
	}
	return g, nil
}

// reminders reads when people are reminded. A rule that takes them from the
// default takes those that come before its own time to decide ends.
func (s *section) reminders(d *demand) {
	if !s.has("remind_after") {
		d.remindAfter = d.reminders()
		return
	}
	d.remindAfter = nil
	nodes := s.list("remind_after")
	if len(nodes) > maxReminders {
		s.refuse(s.at("remind_after"), "remind_after has %d periods; at most %d are allowed", len(nodes), maxReminders)
	}
	for _, node := range nodes {
		after := s.periodAt(node, "remind_after")
		switch {
		case s.err != nil:
			return
		case after >= d.decideWithin:
			s.refuse(node.Line, "remind_after is %s; the time to decide is over after %s", after, d.decideWithin)
		case slices.Contains(d.remindAfter, after):
			s.refuse(node.Line, "remind_after: %s stands there twice", after)
		}
		d.remindAfter = append(d.remindAfter, after)
	}
	slices.Sort(d.remindAfter)
}

func (p *Policy) readResolvers(s *section, d *demand) {
	var name string
	s.text("resolvers", &name)
	if s.err != nil || !s.has("resolvers") {
		return
	}
	if _, err := p.group(name); err != nil {
		s.refuse(s.at("resolvers"), "resolvers: %s", err)
	}
	d.resolvers = []string{name}
}

// checkFilled refuses a demand that could not be met if every member of its
// groups approved.
func (p *Policy) checkFilled(s *section, d demand) {
	terms := p.quorumsOf(d)
	everybody := terms.Approvers()
	if missing := terms.Missing(everybody); missing != "" {
		s.refuse(s.at("quorums"), "quorums can never be met: when everybody has approved, %s would still be missing, for a person counts once", missing)
		return
	}
	if d.proof != approvals.BySignature {
		return
	}
	if missing := p.missing(terms, p.withKeys(everybody), d.proof, nil); missing != "" {
		line := s.at("proof")
		if !s.has("proof") {
			line = s.at("quorums")
		}
		s.refuse(line, "proof: signature can never be met: when everybody with a key has signed, %s would still be missing; "+
			"people who share their keys count for one", missing)
	}
}

// quorumsOf writes the quorums of a demand with their people.
func (p *Policy) quorumsOf(d demand) approvals.Terms {
	terms := approvals.Terms{Shared: d.shared}
	for _, name := range slices.Sorted(maps.Keys(d.quorums)) {
		terms.Quorums = append(terms.Quorums, approvals.Quorum{
			Group: name, Need: d.quorums[name], Members: slices.Clone(p.groups[name].members),
		})
	}
	return terms
}

// withKeys are those of the people who can sign.
func (p *Policy) withKeys(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return len(p.keys[name]) == 0 })
}
