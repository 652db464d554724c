package text

import "cmp"

// foreign reads an element of another vocabulary, in which text boxes, formulas
// and symbols stand.
func (w *docxWriter) foreign(p *xmlPart, e element) error {
	switch {
	case e.isMath() && e.Name.Local == "r":
		return w.run(p)
	case e.isMath() && e.Name.Local == "t":
		return cmp.Or(p.children(p.drop, w.say), w.lineTooLong())
	case e.Name.Space == symbolSpace && e.Name.Local == "symEx":
		w.say(extendedSymbol(e.get("char")))
		return p.skip()
	case e.isEffect():
		return p.drop(e)
	case e.Name.Space == vmlSpace:
		if style := readStyle(e.plain("style")); style.display == no || style.visible == no {
			return w.mute(p)
		}
	case !e.isMath():
		return w.drawing(p, e)
	}
	return w.walk(p)
}

// drawing reads an element of DrawingML: a drawing, or a group, a canvas or a
// shape in one. It says itself that it is hidden (ECMA-376 part 1, 20.4.2.3), or
// its properties do, which come before its content (20.1.2.2.8, 20.4.2.5).
func (w *docxWriter) drawing(p *xmlPart, e element) error {
	muted := w.muted
	defer func() { w.muted = muted }()
	hide := func(e element) {
		if isOn(e.plain("hidden")) {
			w.muted++
		}
	}
	hide(e)
	isFrame := e.Name.Local == "anchor" || e.Name.Local == "inline" // in which no text may stand
	return p.children(func(e element) error {
		switch {
		case e.isWord() && isFrame:
			return p.drop(e)
		case e.isWord():
		case e.Name.Local == "docPr", e.Name.Local == "cNvPr":
			hide(e)
			return p.drop(e)
		}
		return w.element(p, e)
	}, nil)
}
