package text

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// run reads a run of text, or of a formula. Its properties come first.
func (w *docxWriter) run(p *xmlPart) error {
	muted := w.muted
	defer func() { w.muted = muted }()
	w.muted += w.hides(docxStyle{}, docxStyle{})
	return p.children(func(e element) error {
		if !e.isWord() {
			return w.foreign(p, e)
		}
		switch e.Name.Local {
		case "rPr":
			own, named, err := w.runProperties(p)
			w.muted = muted + w.hides(own, named)
			return err
		case "t":
			return w.runText(p)
		case "instrText":
			return w.instruction(p)
		case "delText": // is deleted also where nothing around it says so
			w.muted++
			defer func() { w.muted-- }()
			return w.runText(p)
		}
		if w.character(e) {
			return p.skip()
		}
		return w.element(p, e)
	}, nil)
}

// hides returns 1 when a run is not seen that says own of itself and has a style
// of characters, and 0 when it is.
func (w *docxWriter) hides(own, characters docxStyle) int {
	paragraph := docxStyle{}
	if w.para != nil {
		paragraph = w.para.style
	}
	if w.styles.over(own, characters, paragraph, w.table).hides() {
		return 1
	}
	return 0
}

func (w *docxWriter) runText(p *xmlPart) error {
	var b strings.Builder
	err := p.children(p.drop, func(s string) { b.WriteString(s) })
	w.say(b.String())
	return cmp.Or(err, w.lineTooLong())
}

// runProperties returns what a run says of itself, and its style.
func (w *docxWriter) runProperties(p *xmlPart) (own, named docxStyle, err error) {
	err = p.words(func(e element) error {
		if e.isEffect() {
			return own.effect(p, e)
		}
		switch e.Name.Local {
		case "rStyle":
			named = w.styles.find(e.get("val"))
		case "vanish", "specVanish", "sz", "w":
			own.property(e)
		}
		return p.skip()
	})
	return own, named, err
}

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
	case "fldChar":
		w.fields.mark(e.get("fldCharType"))
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

// extendedSymbol returns the character of a symbol that Word writes by its code
// point ([MS-DOCX], symEx), such as an emoji.
func extendedSymbol(code string) string {
	n, err := strconv.ParseInt(code, 16, 32)
	if r := rune(n); err == nil && r > 0 && utf8.ValidRune(r) {
		return string(r)
	}
	return "□"
}
