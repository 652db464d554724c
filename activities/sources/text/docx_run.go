package text

import (
	"cmp"
	"strconv"
	"strings"
)

// run reads a run of text. Its properties come first.
func (w *docxWriter) run(p *xmlPart) error {
	muted := w.muted
	defer func() { w.muted = muted }()
	if w.para != nil && w.para.style.hides() {
		w.muted++
	}
	return p.children(func(e element) error {
		if !e.isWord() {
			return w.foreign(p, e)
		}
		switch e.Name.Local {
		case "rPr":
			style, err := w.runProperties(p)
			w.muted = muted
			if style.hides() {
				w.muted++
			}
			return err
		case "t", "delText":
			return w.runText(p)
		}
		if w.character(e) {
			return p.skip()
		}
		if e.Name.Local == "instrText" || e.Name.Local == "delInstrText" { // of a field, which shows its result
			return p.skip()
		}
		return w.walk(p)
	}, nil)
}

func (w *docxWriter) runText(p *xmlPart) error {
	var b strings.Builder
	err := p.children(func(element) error { return p.skip() }, func(s string) { b.WriteString(s) })
	w.say(b.String())
	return cmp.Or(err, w.lineTooLong())
}

// runProperties returns what a run says of itself, its style, and its
// paragraph's style say of it.
func (w *docxWriter) runProperties(p *xmlPart) (docxStyle, error) {
	own, named := docxStyle{}, ""
	err := p.children(func(e element) error {
		switch e.Name.Local {
		case "rStyle":
			named = e.get("val")
		case "vanish", "specVanish", "sz", "w":
			own.property(e)
		}
		return p.skip()
	}, nil)
	own.inherit(w.styles.find(named))
	if w.para != nil {
		own.inherit(w.para.style)
	}
	return own, err
}

func (s docxStyle) hides() bool { return s.vanish == yes || s.tiny == yes || s.narrow == yes }

// character writes an element that stands for one, and reports whether it was.
func (w *docxWriter) character(e element) bool {
	switch e.Name.Local {
	case "tab", "ptab":
		w.say(" ")
	case "br", "cr":
		w.breakLine()
	case "noBreakHyphen":
		w.say("-")
	case "sym":
		w.say(symbol(e.get("char")))
	case "footnoteReference", "endnoteReference":
		w.say(noteMark(e))
	case "commentReference":
		w.hidden++
	case "softHyphen", "lastRenderedPageBreak", "footnoteRef", "endnoteRef", "annotationRef":
	default:
		return false
	}
	return true
}

// symbol returns the character of a symbol font that forms use, in Wingdings,
// and a box for all others: that something stands there is seen.
func symbol(code string) string {
	switch n, _ := strconv.ParseUint(code, 16, 32); n & 0xff {
	case 0xfe, 0x52:
		return "☑"
	case 0xa8, 0x6f:
		return "☐"
	}
	return "□"
}
