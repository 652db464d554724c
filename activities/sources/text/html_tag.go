package text

import "strings"

// htmlTag is a start tag: what of it is kept for the parser, and what its
// attributes say of whether its element is seen.
type htmlTag struct {
	name string
	kept string // attributes, as they are written

	hidden, untilFound, open, popover bool
	styled                            bool
	style                             inlineStyle
	typed                             bool
}

// attribute takes one attribute. Of two of one name the first holds.
func (t *htmlTag) attribute(key, value []byte) {
	switch string(key) {
	case "hidden":
		if !t.hidden {
			t.hidden, t.untilFound = true, strings.EqualFold(string(value), "until-found")
		}
	case "open":
		t.open = true
	case "popover":
		t.popover = true
	case "style":
		if !t.styled {
			t.styled, t.style = true, readStyle(string(value))
		}
	case "type": // a hidden one stays in a table, and a check box is drawn
		if !t.typed && t.name == "input" {
			if t.typed = true; strings.EqualFold(string(value), "checkbox") || strings.EqualFold(string(value), "hidden") {
				t.kept += " type=" + string(value)
			}
		}
	case "checked":
		t.kept += " checked"
	case "color", "face", "size": // with which a font ends a picture
		if t.name == "font" {
			t.kept = " size"
		}
	}
}

// htmlLook is what an element says of whether it is seen, and what is in it.
type htmlLook struct {
	gone    bool  // all of it
	visible onOff // what does not say otherwise
	ink     onOff // as visible: whether its color is seen
	size    fontSize
}

// look joins the attributes and the style (HTML, 15.3.1: hidden elements, and
// those that are hidden until something opens them).
func (t *htmlTag) look() htmlLook {
	closed := t.hidden || !t.open && (t.popover || t.name == "dialog")
	return htmlLook{
		gone:    t.untilFound || t.style.display == no || t.style.display == unsaid && closed || t.style.gone(),
		visible: t.style.visible,
		ink:     t.style.ink(),
		size:    t.style.size,
	}
}
