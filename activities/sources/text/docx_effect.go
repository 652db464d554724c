package text

// effectSpace is the namespace of what Word 2010 added to the look of letters
// ([MS-DOCX], 2.6).
const effectSpace = "http://schemas.microsoft.com/office/word/2010/wordml"

// isEffect reports whether an element says how letters are painted.
func (e element) isEffect() bool {
	return e.Name.Space == effectSpace && (e.Name.Local == "textFill" || e.Name.Local == "textOutline")
}

// effect takes how letters are filled or outlined. Letters that are neither leave
// no mark.
func (s *docxStyle) effect(p *xmlPart, e element) error {
	painted := unsaid
	err := p.raw(func(fill element) error {
		switch fill.Name.Local {
		case "noFill":
			painted = no
		case "solidFill", "gradFill":
			painted = yes
		}
		return p.drop(fill)
	}, nil)
	switch {
	case painted == unsaid:
	case e.Name.Local == "textFill":
		s.filled = painted
	default:
		s.outlined = painted
	}
	return err
}
