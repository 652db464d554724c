package text

import "cmp"

// foreign reads an element of another vocabulary, in which text boxes, formulas
// and symbols stand.
func (w *docxWriter) foreign(p *xmlPart, e element) error {
	switch {
	case e.isMath() && e.Name.Local == "r":
		return w.run(p)
	case e.isMath() && e.Name.Local == "t":
		return cmp.Or(p.children(func(element) error { return p.skip() }, w.say), w.lineTooLong())
	case e.Name.Space == symbolSpace && e.Name.Local == "symEx":
		w.say(extendedSymbol(e.get("char")))
		return p.skip()
	case e.Name.Local == "anchor" || e.Name.Local == "inline":
		return w.drawing(p)
	case e.Name.Space == vmlSpace:
		if style := readStyle(e.plain("style")); style.display == no || style.visible == no {
			return w.mute(p)
		}
	}
	return w.walk(p)
}

// drawing reads one of DrawingML. Its properties, which come before its content,
// may say that it is hidden (ECMA-376 part 1, 20.4.2.5).
func (w *docxWriter) drawing(p *xmlPart) error {
	muted := w.muted
	defer func() { w.muted = muted }()
	return p.children(func(e element) error {
		if e.Name.Local == "docPr" && isOn(e.plain("hidden")) {
			w.muted++
			return p.skip()
		}
		if e.isWord() {
			return p.drop(e)
		}
		return w.foreign(p, e)
	}, nil)
}
