package text

import (
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
	tiny    onOff // of at most one point
	narrow  onOff // letters of a twentieth of their width or less
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
	found.inherit(s[defaults])
	return found
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
	if s.tiny == unsaid {
		s.tiny = base.tiny
	}
	if s.narrow == unsaid {
		s.narrow = base.narrow
	}
}

func (s styleSheet) read(p *xmlPart) error {
	id, current := defaults, docxStyle{}
	return p.each(func(e element) error {
		if !e.isWord() {
			return nil
		}
		switch e.Name.Local {
		case "style":
			id, current = e.get("styleId"), docxStyle{}
			if e.get("type") == "paragraph" && e.get("default") == "1" {
				s[""] = docxStyle{basedOn: id}
			}
		case "basedOn":
			current.basedOn = e.get("val")
		case "name":
			current.heading = headingNamed(e.get("val"))
		default:
			current.property(e)
		}
		if id != "" {
			s[id] = current
		}
		return nil
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
	case "vanish", "specVanish": // of the second, Word says that it is always hidden
		s.vanish = said(e.on())
	case "sz": // in half points
		s.tiny = said(err == nil && value <= 2)
	case "w": // in hundredths of the common width, with "%" in the strict form
		width, err := strconv.Atoi(strings.TrimSuffix(e.get("val"), "%"))
		s.narrow = said(err == nil && width <= 5)
	}
}
