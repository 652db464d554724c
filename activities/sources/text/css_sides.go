package text

// physical gives the properties that go by the direction of the text the names
// that they have where it runs from left to right, line under line (CSS Logical
// Properties and Values Level 1).
var physical = map[string]string{
	"inline-size": "width", "max-inline-size": "max-width", "block-size": "height", "max-block-size": "max-height",
	"overflow-inline": "overflow-x", "overflow-block": "overflow-y",
	"inset-inline-start": "left", "inset-inline-end": "right", "inset-block-start": "top", "inset-block-end": "bottom",
	"margin-inline-start": "margin-left", "margin-inline-end": "margin-right", "margin-block-start": "margin-top", "margin-block-end": "margin-bottom",
}

// sides are the properties that a shorthand stands for, in the order of its
// values.
var sides = map[string][]string{
	"margin":        {"margin-top", "margin-right", "margin-bottom", "margin-left"},
	"margin-block":  {"margin-top", "margin-bottom"},
	"margin-inline": {"margin-left", "margin-right"},
	"inset":         {"top", "right", "bottom", "left"},
	"inset-block":   {"top", "bottom"},
	"inset-inline":  {"left", "right"},
}

// declareSides takes a shorthand, all of which is void when a part of it is. What
// is missing is as its opposite, or as the first.
func (s *inlineStyle) declareSides(names []string, word string, value []cssToken) {
	if len(value) == 0 || len(value) > len(names) {
		return
	}
	hides := make([]bool, len(names))
	for i := range names {
		from := i
		for from >= len(value) {
			from = max(from-2, 0)
		}
		var ok bool
		if hides[i], ok = hidingLength(isFarAway)(wordOr(word, value[from]), value[from:from+1]); !ok {
			return
		}
	}
	for i, name := range names {
		s.hides[name] = hides[i]
	}
}

// wordOr returns the word that is the whole value, or else the one that is a part.
func wordOr(word string, t cssToken) string {
	if word == "" && t.kind == cssIdent {
		return t.name
	}
	return word
}
