package text

import (
	"cmp"
	"strconv"
	"strings"
)

// docxStyle is what a style says of the text that has it; paragraphs and runs
// say the same of themselves.
type docxStyle struct {
	basedOn string
	heading int   // 1 to 9; 0 for none
	list    int   // depth of a list's item, from 1; 0 when it is not said, noList for none
	vanish  onOff // hidden
	always  onOff // hidden, whatever vanish says
	tiny    onOff // of at most one point
	narrow  onOff // letters of a twentieth of their width or less

	filled, outlined onOff // the letters; they are filled where nothing is said, and not outlined
}

func (s docxStyle) hides() bool {
	bare := s.filled == no && s.outlined != yes
	return s.vanish == yes || s.always == yes || s.tiny == yes || s.narrow == yes || bare
}

const noList = -1

// onOff is a property that a style or the text itself may leave open.
type onOff int

const (
	unsaid onOff = iota
	yes
	no
)

func said(on bool) onOff {
	if on {
		return yes
	}
	return no
}

// styleSheet holds a document's styles by id. The ids are of the language of
// the Word that wrote it; only the names of the built-in styles are not.
type styleSheet map[string]docxStyle

// defaults is the id of what holds where no style says otherwise; XML has no
// such character. The id "" is that of paragraphs without a style.
const defaults = "\x00"

// maxBasedOn bounds how far a style is followed to those it is based on.
const maxBasedOn = 16

// find returns a style with what it takes from the styles it is based on.
func (s styleSheet) find(id string) docxStyle {
	found := s[id]
	for next, n := found.basedOn, 0; next != "" && n < maxBasedOn; n++ {
		base := s[next]
		found.inherit(base)
		next = base.basedOn
	}
	return found
}

// paragraph is find for the style of a paragraph, which is the default one where
// there is none of its name.
func (s styleSheet) paragraph(id string) docxStyle {
	if _, ok := s[id]; !ok {
		id = ""
	}
	return s.find(id)
}

// over returns what holds for text that says own of itself and has the styles,
// the nearest first (ECMA-376 part 1, 17.7.2). Those that hide toggle (17.7.3):
// two of them show again, and one that says it does not hide takes nothing back.
func (s styleSheet) over(own docxStyle, styles ...docxStyle) docxStyle {
	odd := false
	vanish := own.vanish
	for _, style := range styles {
		odd = odd != (style.vanish == yes)
		own.inherit(style)
	}
	own.inherit(s[defaults])
	if vanish == unsaid {
		vanish = said(odd || s[defaults].vanish == yes)
	}
	own.vanish = vanish
	return own
}

// inherit takes from base what s does not say.
func (s *docxStyle) inherit(base docxStyle) {
	if s.heading == 0 {
		s.heading = base.heading
	}
	if s.list == 0 {
		s.list = base.list
	}
	if s.vanish == unsaid {
		s.vanish = base.vanish
	}
	if s.always == unsaid {
		s.always = base.always
	}
	if s.tiny == unsaid {
		s.tiny = base.tiny
	}
	if s.narrow == unsaid {
		s.narrow = base.narrow
	}
	if s.filled == unsaid {
		s.filled = base.filled
	}
	if s.outlined == unsaid {
		s.outlined = base.outlined
	}
}

func (s styleSheet) read(p *xmlPart) error {
	return p.words(func(element) error { // the root
		return p.words(func(e element) error {
			switch e.Name.Local {
			case "docDefaults":
				style := docxStyle{}
				err := style.properties(p)
				s[defaults] = style
				return err
			case "style":
				return s.style(p, e)
			}
			return p.skip()
		})
	})
}

func (s styleSheet) style(p *xmlPart, e element) error {
	style := docxStyle{}
	err := style.properties(p)
	id, kind := e.get("styleId"), e.get("type")
	if id == "" {
		return err
	}
	s[id] = style
	if (kind == "" || kind == "paragraph") && isOn(e.get("default")) {
		s[""] = docxStyle{basedOn: id}
	}
	return err
}

// properties takes those of the element that was opened last. What a table's
// style says of some of its cells, and what was before a tracked change, is none.
func (s *docxStyle) properties(p *xmlPart) error {
	return p.words(func(e element) error {
		if e.isEffect() {
			return s.effect(p, e)
		}
		switch e.Name.Local {
		case "rPrDefault", "pPrDefault", "rPr", "pPr", "numPr":
			return s.properties(p)
		case "basedOn":
			s.basedOn = e.get("val")
		case "name":
			s.heading = cmp.Or(s.heading, headingNamed(e.get("val")))
		default:
			s.property(e)
		}
		return p.skip()
	})
}

// headingNamed returns the level of a built-in heading style.
func headingNamed(name string) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	number, ok := strings.CutPrefix(name, "heading ")
	level, err := strconv.Atoi(number)
	if !ok || err != nil || level < 1 || level > 9 {
		return 0
	}
	return level
}

// property takes one property of paragraphs or runs (ECMA-376 part 1, 17.3).
func (s *docxStyle) property(e element) {
	value, err := strconv.Atoi(e.get("val"))
	switch e.Name.Local {
	case "outlineLvl": // from 0; 9 is body text
		if err == nil && 0 <= value && value < 9 {
			s.heading = value + 1
		}
	case "ilvl": // from 0
		if err == nil {
			s.list = min(max(value, 0), 8) + 1
		}
	case "numId": // 0 takes a style's list away
		if e.get("val") == "0" {
			s.list = noList
		} else {
			s.list = max(s.list, 1)
		}
	case "vanish":
		s.vanish = said(e.on())
	case "specVanish": // of which Word says that it is always hidden
		s.always = said(e.on())
	case "sz":
		if size, ok := halfPoints(e.get("val")); ok {
			s.tiny = said(size <= 2)
		}
	case "w": // in hundredths of the common width, with "%" in the strict form
		if width, err := strconv.Atoi(strings.TrimSuffix(e.get("val"), "%")); err == nil {
			s.narrow = said(width <= 5)
		}
	}
}

// points of the units of lengths (ECMA-376 part 1, 22.9.2.15).
var wordUnits = map[string]float64{"pt": 1, "pc": 12, "pi": 12, "in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4}

// halfPoints reads a size: a number of half points, or one with a unit
// (ST_HpsMeasure, 17.18.42).
func halfPoints(value string) (size float64, ok bool) {
	per := 0.5
	if n := len(value) - 2; n > 0 && wordUnits[value[n:]] > 0 {
		value, per = value[:n], wordUnits[value[n:]]
	}
	if strings.Trim(value, "0123456789.") != "" {
		return 0, false
	}
	size, err := strconv.ParseFloat(value, 64)
	return size * per * 2, err == nil
}
