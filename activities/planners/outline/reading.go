package outline

import (
	"strings"
	"unicode/utf8"
)

// reading is what a block says, in the scopes that it stands in.
type reading struct {
	own   when // the date that it carries itself
	stamp stamp
	when  when // the date that counts
	label kind // the kind that it states itself
	kind  kind // the kind that counts
	text  string
	opens bool // it is a date or a label over what follows
	says  bool // it is an entry, if it has a date
}

func (d *dating) read(b block) reading {
	if b.kind == row {
		return d.readRow(b)
	}
	var p reading
	p.own, p.stamp, p.text = dated(b.all(), d.calendar.near(b.first))
	scoped := d.scoped()
	if p.stamp == inside && !scoped.isZero() {
		p.own, p.stamp = when{}, unstamped // what is reported of that day names another one
	}
	if p.when = p.own; p.own.isZero() {
		p.when = scoped
	}
	only := p.stamp == leading && p.text == ""
	label := isLabel(b, p.text)
	p.opens = only || label
	p.label, p.text = statedKind(b, p.text)
	if label && p.label == noKind {
		p.label = kindOfLabel(p.text)
	}
	p.kind = d.kind(p.label, p.text)
	switch {
	case label: // a label that only names a kind is no news, any other line is
		p.says = p.label == noKind && (!b.strong || p.stamp == leading)
	case b.kind == field: // a named value is not news because it is a date
		p.says = p.stamp == unstamped
	default:
		p.says = hasWord(p.text)
	}
	return p
}

// isLabel reports whether a paragraph, line or item is a label over what
// follows: all in bold, or ending in a colon.
func isLabel(b block, text string) bool {
	length := utf8.RuneCountInString(text)
	if b.kind == field || length == 0 || length > 3*maxLabel {
		return false
	}
	return b.strong && length <= 2*maxLabel || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// statedKind returns the kind that a block states by label or check box, and
// its text without a label that says no more than the kind.
func statedKind(b block, text string) (kind, string) {
	if label, rest := cutLabel(text); label != "" {
		if k := kindOfLabel(label); k != noKind {
			if plainLabels[strings.ToLower(label)] {
				text = rest
			}
			return k, text
		}
	}
	switch b.task {
	case doneTask:
		return done, text
	case openTask:
		return planned, text
	default:
		return noKind, text
	}
}
