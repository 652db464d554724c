package text

import (
	"encoding/xml"
	"errors"
	"slices"
	"strings"
)

// maxScope bounds the prefixes that are bound at one place of a part, of which
// the decoder keeps each as long as its element is open. Word binds some forty.
const maxScope = 1000

var errManyPrefixes = errors.New("it has more than 1,000 namespace prefixes at one place")

// compatScope is what elements that are open say of the vocabularies in them
// (ECMA-376 part 3, markup compatibility).
type compatScope struct {
	bound  []scoped // prefix and namespace, the innermost last
	passed []scoped // elements that are not understood, but what is in them is processed: name, or "*", and namespace
}

// scoped is something that holds inside of the element at a depth.
type scoped struct {
	depth       int
	name, space string
}

// open takes in a start tag. The element is at the given depth, from 1.
func (c *compatScope) open(depth int, attributes []xml.Attr) error {
	for _, a := range attributes {
		if a.Name.Space == "xmlns" {
			c.bound = append(c.bound, scoped{depth, a.Name.Local, a.Value})
		}
	}
	for _, a := range attributes {
		if a.Name.Space != compatSpace || a.Name.Local != "ProcessContent" {
			continue
		}
		for name := range strings.FieldsSeq(a.Value) {
			prefix, local, _ := strings.Cut(name, ":")
			c.passed = append(c.passed, scoped{depth, local, c.space(prefix)})
		}
	}
	if len(c.bound)+len(c.passed) > maxScope {
		return errManyPrefixes
	}
	return nil
}

// closed leaves the element at the given depth.
func (c *compatScope) closed(depth int) {
	c.bound, c.passed = closed(c.bound, depth), closed(c.passed, depth)
}

func closed(list []scoped, depth int) []scoped {
	for len(list) > 0 && list[len(list)-1].depth >= depth {
		list = list[:len(list)-1]
	}
	return list
}

// space returns the namespace of a prefix, "" for one that is not bound.
func (c *compatScope) space(prefix string) string {
	for _, b := range slices.Backward(c.bound) {
		if b.name == prefix {
			return b.space
		}
	}
	return ""
}

// understands reports whether all prefixes that a choice requires are of
// vocabularies that Word understands. One that names none is taken by nobody.
func (c *compatScope) understands(prefixes string) bool {
	required := strings.Fields(prefixes)
	for _, prefix := range required {
		if _, ok := vocabularies[c.space(prefix)]; !ok {
			return false
		}
	}
	return len(required) > 0
}

// passes reports whether what is in an element is processed in its place.
func (c *compatScope) passes(e xml.Name) bool {
	for _, s := range c.passed {
		if s.space == e.Space && (s.name == e.Local || s.name == "*") {
			return true
		}
	}
	return false
}

// children hands on the children of the element that was opened last, or the
// root of the part, as Word sees them: of alternatives the one that it takes,
// and nothing of vocabularies that it does not understand, or that hold no text,
// but for effects of letters. child must read its element to the end.
func (p *xmlPart) children(child func(element) error, text func(string)) error {
	return p.raw(func(e element) error {
		holdsText, understood := p.vocabulary(e.Name.Space)
		switch {
		case e.Name.Space == compatSpace && e.Name.Local == "AlternateContent":
			return p.alternatives(child, text)
		case holdsText, e.isEffect():
			return child(e)
		case !understood && p.scope.passes(e.Name):
			return p.children(child, text)
		}
		return p.drop(e)
	}, text)
}

// vocabulary looks a namespace up. A part has one form of WordprocessingML, that
// of its root.
func (p *xmlPart) vocabulary(space string) (holdsText, understood bool) {
	if (space == wordSpace || space == wordStrictSpace) && space != p.root {
		return false, false
	}
	holdsText, understood = vocabularies[space]
	return holdsText, understood
}

// alternatives hands on the children of the first choice that Word takes, or
// else of the fallback. What comes after is the same content again.
func (p *xmlPart) alternatives(child func(element) error, text func(string)) error {
	taken := false
	return p.raw(func(e element) error {
		choice := e.Name.Space == compatSpace && e.Name.Local == "Choice"
		fallback := e.Name.Space == compatSpace && e.Name.Local == "Fallback"
		switch {
		case taken && (choice || fallback):
			return p.skip()
		case choice && p.scope.understands(e.plain("Requires")), fallback:
			taken = true
			return p.children(child, text)
		}
		return p.drop(e)
	}, nil)
}

// drop reads an element that Word does not show, and counts the texts in it.
func (p *xmlPart) drop(e element) error {
	if !e.isText() {
		return p.raw(p.drop, nil)
	}
	said := false
	err := p.raw(func(element) error { return p.skip() }, func(s string) { said = said || strings.TrimSpace(s) != "" })
	if said {
		*p.dropped++
	}
	return err
}
