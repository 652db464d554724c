package text

import "slices"

// inlineStyle is what a style attribute says of whether its element is seen, as
// far as it can be told without the page around it.
type inlineStyle struct {
	display onOff                // no: none
	visible onOff                // no: hidden or collapse; inherited
	size    fontSize             // inherited
	hides   map[string]bool      // by property: its value leaves nothing of the element
	moves   map[string]cssMatrix // by property
	fades   map[string]float64   // by property: the opacity that it leaves
	color   cssColor
	ground  cssColor
}

// What leaves so little that nobody sees it.
const (
	leastOpacity = 0.05 // or less
	leastBox     = 1    // pixels of width or height, or less
	leastFont    = 2    // pixels; smaller is not read
	leastScale   = 0.05 // or less; also of a font of common size
	farAway      = 1000 // pixels outside of the page
)

// readStyle reads a style attribute. Of two declarations of one property the
// later holds, unless only the earlier is important; one whose value is not read
// here holds nowhere, so that it does not undo one that hides.
func readStyle(style string) inlineStyle {
	s := inlineStyle{hides: map[string]bool{}, moves: map[string]cssMatrix{}, fades: map[string]float64{}}
	important := false
	eachDeclaration(style, func(d cssDeclaration) {
		if important = important || d.important; !d.important {
			s.declare(d.property, d.value)
		}
	})
	if important {
		eachDeclaration(style, func(d cssDeclaration) {
			if d.important {
				s.declare(d.property, d.value)
			}
		})
	}
	return s
}

// declare takes one declaration.
func (s *inlineStyle) declare(property string, value []cssToken) {
	word := ""
	if len(value) == 1 && value[0].kind == cssIdent {
		word = value[0].name
	}
	if name := physical[property]; name != "" {
		property = name
	}
	switch property {
	case "display":
		s.display = displayed(word, s.display)
	case "visibility":
		switch word {
		case "hidden", "collapse":
			s.visible = no
		case "visible", "initial":
			s.visible = yes
		case "inherit", "unset":
			s.visible = unsaid
		}
	case "font-size":
		s.setSize(value)
	case "font":
		s.setFont(value)
	case "color", "text-fill-color":
		s.color = readColor(value).or(s.color)
	case "background", "background-color":
		s.ground = colorIn(value).or(s.ground)
	default:
		s.declareHiding(property, word, value)
	}
}

// declareHiding takes a declaration of one of cssHides, or of a shorthand of some.
func (s *inlineStyle) declareHiding(property, word string, value []cssToken) {
	if names := sides[property]; names != nil {
		s.declareSides(names, word, value)
		return
	}
	if read := cssHides[property]; read != nil {
		if hides, ok := read(word, value); ok {
			s.hides[property] = hides
		}
	}
	if read := cssFades[property]; read != nil {
		if share, ok := read(word, value); ok {
			s.fades[property] = share
		}
	}
	for _, move := range cssMoves {
		if move.property != property {
			continue
		}
		if m, ok := move.read(word, value); ok {
			s.moves[property] = m
		}
	}
}

// gone reports whether nothing of the element is painted, whatever is in it.
func (s *inlineStyle) gone() bool {
	if s.hidesAlone() || s.faded() || !s.moved().shows() {
		return true
	}
	clips := s.hides["overflow"] || s.hides["overflow-x"] || s.hides["overflow-y"]
	small := s.hides["width"] || s.hides["max-width"] || s.hides["height"] || s.hides["max-height"]
	away := s.hides["left"] || s.hides["right"] || s.hides["top"] || s.hides["bottom"]
	return clips && small || s.hides["position"] && (away || s.hides["clip"])
}

// hidesAlone reports whether a property hides that needs no other for it.
func (s *inlineStyle) hidesAlone() bool {
	return slices.ContainsFunc([]string{"content-visibility", "clip-path", "text-indent", "margin-left", "margin-top"}, func(property string) bool {
		return s.hides[property]
	})
}

// faded reports whether what its properties leave of its opacity, which add up, is
// hardly any.
func (s *inlineStyle) faded() bool {
	left := 1.0
	for _, share := range s.fades {
		left *= share
	}
	return left <= leastOpacity+rounding
}

// moved returns what all its properties together map the element by.
func (s *inlineStyle) moved() cssMatrix {
	all := cssMoving()
	for _, move := range cssMoves {
		if m, ok := s.moves[move.property]; ok {
			all = all.times(m)
		}
	}
	return all
}

// ink reports whether its text has a color that is seen on its ground.
func (s *inlineStyle) ink() onOff {
	switch {
	case !s.color.known:
		return unsaid
	case s.color.alpha <= leastOpacity, s.ground.known && s.color.isLike(s.ground):
		return no
	}
	return yes
}

// cssFades are the properties that leave a share of the opacity; ok is false for
// values that are not read.
var cssFades = map[string]func(word string, value []cssToken) (share float64, ok bool){"opacity": readOpacity, "filter": readFilter}

// cssHides says for each property that is read whether its value leaves nothing
// of an element, or, for those that hide only together, its part of that; ok is
// false for values that are not read.
var cssHides = map[string]func(word string, value []cssToken) (hides, ok bool){
	"content-visibility": func(word string, _ []cssToken) (hides, ok bool) {
		return word == "hidden", word == "hidden" || word == "visible" || word == "auto"
	},
	"clip":        hidingClip,
	"clip-path":   hidingClipPath,
	"width":       hidingLength(func(px float64) bool { return px <= leastBox }),
	"max-width":   hidingLength(func(px float64) bool { return px <= leastBox }),
	"height":      hidingLength(func(px float64) bool { return px <= leastBox }),
	"max-height":  hidingLength(func(px float64) bool { return px <= leastBox }),
	"left":        hidingLength(isFarAway),
	"right":       hidingLength(isFarAway),
	"top":         hidingLength(isFarAway),
	"bottom":      hidingLength(isFarAway),
	"margin-left": hidingLength(isFarAway),
	"margin-top":  hidingLength(isFarAway),
	"text-indent": hidingIndent,
	"overflow":    hidingOverflow,
	"overflow-x":  hidingOverflow,
	"overflow-y":  hidingOverflow,
	"position": func(word string, _ []cssToken) (hides, ok bool) {
		taken := word == "absolute" || word == "fixed"
		return taken, taken || word == "static" || word == "relative" || word == "sticky" || word == "initial"
	},
}

func isFarAway(px float64) bool { return px <= -farAway }

// displayed reads a value of display; before is what holds when it is none. One
// that is inherited is that of an element which is shown, or else nothing of this
// one is come to.
func displayed(word string, before onOff) onOff {
	switch word {
	case "none":
		return no
	case "block", "inline", "inline-block", "flow-root", "flex", "inline-flex", "grid", "inline-grid", "contents", "list-item", "initial",
		"unset", "inherit", "run-in", "ruby", "table", "inline-table", "table-row", "table-cell", "table-caption", "table-row-group",
		"table-header-group", "table-footer-group", "table-column", "table-column-group":
		return yes
	case "revert", "revert-layer": // to what the attributes say
		return unsaid
	}
	return before
}
