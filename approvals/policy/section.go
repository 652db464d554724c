package policy

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// section reads one mapping of a file, field by field. A field that is not
// there leaves what it would set as it is. The first mistake stays in err, and
// nothing is read after it.
type section struct {
	source
	where string // before each reason, such as "rule payments"
	node  *yaml.Node
	found map[string]*yaml.Node // values by field
	err   error
}

// section opens a mapping that has these fields and no others.
func (s source) section(node *yaml.Node, what string, known ...string) *section {
	open := &section{source: s, node: node, found: map[string]*yaml.Node{}}
	all, err := s.entries(node, what)
	if err != nil {
		open.err = err
		return open
	}
	for _, e := range all {
		if !slices.Contains(known, e.key.Value) {
			open.err = s.fail(e.key.Line, "unknown field %+q; known are %s", shorten(e.key.Value), strings.Join(known, ", "))
			return open
		}
		open.found[e.key.Value] = e.value
	}
	return open
}

func (s *section) has(name string) bool { return s.found[name] != nil }

// at is the line of a field, or of the section when the field is not there.
func (s *section) at(name string) int {
	if node := s.found[name]; node != nil {
		return node.Line
	}
	return s.node.Line
}

// refuse records a mistake, unless there was one before.
func (s *section) refuse(line int, format string, args ...any) {
	if s.err != nil {
		return
	}
	if s.where != "" {
		format = s.where + ": " + format
	}
	s.err = s.fail(line, format, args...)
}

// require refuses a section that lacks one of these fields.
func (s *section) require(names ...string) {
	for _, name := range names {
		if !s.has(name) {
			s.refuse(s.node.Line, "%s is missing", name)
		}
	}
}

// scalar returns a field's node if it is to be read and has this tag.
func (s *section) scalar(name, problem, tag string) *yaml.Node {
	node := s.found[name]
	if s.err != nil || node == nil {
		return nil
	}
	if node.Kind != yaml.ScalarNode || node.ShortTag() != tag {
		s.refuse(node.Line, "%s", expected(node, name+" "+problem))
		return nil
	}
	return node
}

// textAt reads a scalar that YAML takes for a text, so that a bare 24 or yes is
// not turned into one.
func (s *section) textAt(node *yaml.Node, name string) string {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
		s.refuse(node.Line, "%s", expected(node, name+" is not a text"))
		return ""
	}
	return node.Value
}

func (s *section) text(name string, to *string) {
	if s.err == nil && s.has(name) {
		*to = s.textAt(s.found[name], name)
	}
}

// word reads a text that checkName accepts.
func (s *section) word(name string, to *string) {
	s.text(name, to)
	if s.err == nil && s.has(name) {
		if err := checkName(*to); err != nil {
			s.refuse(s.at(name), "%s %s", name, err)
		}
	}
}

func (s *section) truth(name string, to *bool) {
	if node := s.scalar(name, "is neither true nor false", "!!bool"); node != nil {
		*to = strings.EqualFold(node.Value, "true")
	}
}

func (s *section) number(name string, limit int, to *int) {
	node := s.scalar(name, "is not a whole number", "!!int")
	if node == nil {
		return
	}
	n, err := whole(node.Value)
	switch {
	case err != nil:
		s.refuse(node.Line, "%s %s", name, err)
	case n > limit:
		s.refuse(node.Line, "%s is %d; at most %d is allowed", name, n, limit)
	}
	*to = n
}

func (s *section) period(name string, to *time.Duration) {
	if s.err == nil && s.has(name) {
		*to = s.periodAt(s.found[name], name)
	}
}

func (s *section) periodAt(node *yaml.Node, name string) time.Duration {
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!int" {
		s.refuse(node.Line, "%s needs a unit, such as 24h or 90m", name)
		return 0
	}
	period, err := time.ParseDuration(s.textAt(node, name))
	if err != nil {
		s.refuse(node.Line, "%s is not a period such as 24h or 90m", name)
		return 0
	}
	if err := checkPeriod(period); err != nil {
		s.refuse(node.Line, "%s %s", name, err)
	}
	return period
}

// list returns the nodes of a field that is a list.
func (s *section) list(name string) []*yaml.Node {
	node := s.found[name]
	if s.err != nil || node == nil {
		return nil
	}
	if node.Kind != yaml.SequenceNode {
		s.refuse(node.Line, "%s", expected(node, name+" is not a list"))
		return nil
	}
	return node.Content
}

// each reads a list of texts, one after the other.
func (s *section) each(name string, read func(text string) error) {
	for _, node := range s.list(name) {
		text := s.textAt(node, name)
		if s.err != nil {
			return
		}
		if err := read(text); err != nil {
			s.refuse(node.Line, "%s: %s", name, err)
			return
		}
	}
}

// people reads a list of names, which may be empty.
func (s *section) people(name string, to *[]string) {
	var names []string
	s.each(name, func(text string) (err error) {
		names, err = addPerson(names, text)
		return err
	})
	if s.err != nil || !s.has(name) {
		return
	}
	if len(names) > maxNames {
		s.refuse(s.at(name), "%s %s", name, checkCount(names))
	}
	slices.Sort(names)
	*to = names
}
