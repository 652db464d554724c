package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// shortGroup is the one group of the short form, and resolverGroup that of
// those whom it names as resolvers.
const (
	shortGroup    = "approvers"
	resolverGroup = "resolvers"
)

// Parse reads a policy file, in the long form or the short one; see the
// package's documentation. read fetches the allowed_signers_file, by the path
// that stands in the policy; it may be nil where no file can be fetched.
//
// Every error is "filename:line: reason", as filename is given; that of a
// fetched file has its path in front. Nothing is filled in for a field that
// cannot be read.
func Parse(raw []byte, filename string, read func(path string) ([]byte, error)) (*Policy, error) {
	file := source{name: filename}
	p, err := parse(raw, file, maxFileBytes, read)
	if err != nil {
		return nil, err
	}
	if err := p.checked(); err != nil {
		return nil, file.fail(1, "%s", err)
	}
	return p, nil
}

func parse(raw []byte, file source, limit int, read func(string) ([]byte, error)) (*Policy, error) {
	root, err := file.document(raw, limit)
	if err != nil {
		return nil, err
	}
	long := []string{"groups", "allowed_signers", "allowed_signers_file", "default", "rules"}
	short := []string{"approvers", "decide_within", "grant_life", "resolvers"}
	head := file.section(root, "a policy is a mapping with label, groups, default and rules, or with label, approvers, decide_within and grant_life",
		slices.Concat([]string{"label"}, long, short)...)
	p := &Policy{groups: map[string]group{}, keys: map[string][]signature.Key{}}
	head.require("label")
	head.word("label", &p.label)
	if head.has("approvers") {
		head.without("the short form with approvers", long...)
		p.readShort(head)
	} else {
		head.without("a policy without approvers, where it belongs under default", short...)
		p.readLong(head, read)
	}
	if head.err != nil {
		return nil, head.err
	}
	if p, err = p.sealed(); err != nil {
		return nil, file.fail(1, "%s", err)
	}
	return p, nil
}

// without refuses fields that belong to the other form.
func (s *section) without(form string, names ...string) {
	for _, name := range names {
		if s.has(name) {
			s.refuse(s.at(name), "%s cannot stand in %s", name, form)
		}
	}
}

// readShort reads the form of one group, of whom one suffices.
func (p *Policy) readShort(head *section) {
	head.require("decide_within", "grant_life")
	var members, resolvers []string
	head.people("approvers", &members)
	head.people("resolvers", &resolvers)
	if err := checkCount(members); err != nil {
		head.refuse(head.at("approvers"), "approvers %s", err)
	}
	d := demand{quorums: map[string]int{shortGroup: 1}, proof: approvals.ByClaim}
	head.period("decide_within", &d.decideWithin)
	head.period("grant_life", &d.grantLife)
	p.groups[shortGroup] = group{members: members}
	if len(resolvers) > 0 {
		p.groups[resolverGroup] = group{members: resolvers}
		d.resolvers = []string{resolverGroup}
	}
	p.fallback = d
}

// readLong reads groups first, and rules last, wherever they stand.
func (p *Policy) readLong(head *section, read func(string) ([]byte, error)) {
	head.require("groups", "default")
	if head.err != nil {
		return
	}
	head.err = p.readGroups(head.source, head.found["groups"])
	p.readSigners(head, read)
	if head.err == nil {
		head.err = p.readDefault(head.source, head.found["default"])
	}
	if nodes := head.list("rules"); head.err == nil {
		head.err = p.readRules(head.source, nodes)
	}
}

func (p *Policy) readGroups(file source, node *yaml.Node) error {
	all, err := file.entries(node, "groups is a mapping of names, each with its members")
	if err != nil {
		return err
	}
	if len(all) > maxGroups {
		return file.fail(node.Line, "groups has %d names; at most %d are allowed", len(all), maxGroups)
	}
	for _, e := range all {
		name := e.key.Value
		if err := checkName(name); err != nil {
			return file.fail(e.key.Line, "the name of a group %s", err)
		}
		one := file.section(e.value, "group "+name+" is not a mapping with members", "members", "tenants")
		one.where = "group " + name
		one.require("members")
		var g group
		one.people("members", &g.members)
		if err := checkCount(g.members); err != nil {
			one.refuse(one.at("members"), "members %s", err)
		}
		one.tenants(&g.tenants)
		if one.err != nil {
			return one.err
		}
		p.groups[name] = g
	}
	return nil
}

// tenants reads the tenants for whose runs a group counts. An empty list would
// be read as all of them by one and as none by another.
func (s *section) tenants(to *[]string) {
	s.each("tenants", func(tenant string) error {
		if err := checkName(tenant); err != nil {
			return fmt.Errorf("the name of a tenant %w", err)
		}
		if slices.Contains(*to, tenant) {
			return fmt.Errorf("%s stands there twice", tenant)
		}
		*to = append(*to, tenant)
		return nil
	})
	switch {
	case s.has("tenants") && len(*to) == 0:
		s.refuse(s.at("tenants"), "tenants is empty; leave it out if the group counts for the runs of all")
	case len(*to) > maxNames:
		s.refuse(s.at("tenants"), "tenants has %d names; at most %d are allowed", len(*to), maxNames)
	}
	slices.Sort(*to)
}

// readSigners reads the keys of the groups' members. Those of others are left
// out: they may sign nothing here.
func (p *Policy) readSigners(head *section, read func(string) ([]byte, error)) {
	var raw, path string
	head.text("allowed_signers", &raw)
	head.text("allowed_signers_file", &path)
	if head.err != nil {
		return
	}
	switch inline, file := head.has("allowed_signers"), head.has("allowed_signers_file"); {
	case inline && file:
		head.refuse(head.at("allowed_signers_file"), "allowed_signers stands in line %d already; one of both is enough", head.at("allowed_signers"))
	case inline:
		p.takeKeys(head, raw, head.source, textLine(head.found["allowed_signers"]))
	case file && read == nil:
		head.refuse(head.at("allowed_signers_file"), "allowed_signers_file cannot be fetched here; write the keys into allowed_signers")
	case file:
		fetched, err := read(path)
		if err != nil {
			head.refuse(head.at("allowed_signers_file"), "allowed_signers_file: %s", err)
			return
		}
		p.takeKeys(head, string(fetched), source{name: path}, func(line int) int { return line })
	}
}

// takeKeys reads an allowed_signers text whose lines stand in file where lineOf
// says.
func (p *Policy) takeKeys(head *section, raw string, file source, lineOf func(int) int) {
	signers, err := signature.ParseAllowedSigners([]byte(raw))
	if err != nil {
		line, reason := 1, err.Error()
		if _, scanErr := fmt.Sscanf(reason, "line %d:", &line); scanErr == nil {
			_, reason, _ = strings.Cut(reason, ": ")
		}
		head.err = file.fail(lineOf(line), "%s", reason)
		return
	}
	p.aliases = sortedAliases(signers.Aliases(p.members()))
	p.noteUnused(signers, file, lineOf)
	for _, group := range slices.Sorted(maps.Keys(p.groups)) {
		for _, name := range p.groups[group].members {
			keys := signers.KeysOf(name)
			if len(keys) > maxKeys {
				head.err = file.fail(lineOf(1), "%s has %d keys; at most %d are allowed", name, len(keys), maxKeys)
				return
			}
			if len(keys) > 0 {
				p.keys[name] = sortedKeys(keys)
			}
		}
	}
}

// members are those of all groups.
func (p *Policy) members() []string {
	var members []string
	for _, g := range p.groups {
		members = append(members, g.members...)
	}
	return members
}

// noteUnused lists the lines whose keys sign nothing here: those that never
// verify, and those of people who are in no group.
func (p *Policy) noteUnused(signers signature.AllowedSigners, file source, lineOf func(int) int) {
	left := slices.Clone(signers.Skipped)
	for _, line := range signers.Unused(p.members()) {
		left = append(left, signature.Skipped{Line: line, Reason: "its names are in no group"})
	}
	slices.SortFunc(left, func(a, b signature.Skipped) int { return a.Line - b.Line })
	for _, s := range left {
		p.unused = append(p.unused, UnusedKey{Place: fmt.Sprintf("%s:%d", file.name, lineOf(s.Line)), Reason: s.Reason})
	}
}

// textLine tells in which line of the file a line of a text stands. Only of a
// literal block ("|") is that known; of others it is where the text begins.
func textLine(node *yaml.Node) func(int) int {
	return func(line int) int {
		if node.Style&yaml.LiteralStyle != 0 {
			return node.Line + line
		}
		return node.Line
	}
}
