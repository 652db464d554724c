package text

import "strings"

// docxFields are the fields of one story that are open, the innermost last
// (ECMA-376 part 1, 17.16.18). A field is its code, and after that its result,
// which is what is seen of it. A code that never ends hides all that comes after
// it in its story, as it may do in Word; what it hides is counted.
type docxFields struct {
	open   []docxField
	unseen int // those of them of which what is being read is not seen
}

// docxField is a field that is open.
type docxField struct {
	code     string // its beginning
	inResult bool
	unseen   bool
}

// maxFieldCode bounds what is kept of a code, of which the name is what is asked.
const maxFieldCode = 64

// hide reports whether what is being read is not seen: an inner field's result is
// not when it stands in the code of an outer one.
func (f *docxFields) hide() bool { return f.unseen > 0 }

// mark takes a character that begins or ends a field, or its result. Those that
// belong to no field are passed over.
func (f *docxFields) mark(kind string) {
	if kind == "begin" {
		f.open = append(f.open, docxField{unseen: true})
		f.unseen++
		return
	}
	if len(f.open) == 0 {
		return
	}
	field := &f.open[len(f.open)-1]
	switch kind {
	case "separate":
		if !field.inResult && hasResult(field.code) {
			field.unseen = false
			f.unseen--
		}
		field.inResult = true
	case "end":
		if field.unseen {
			f.unseen--
		}
		f.open = f.open[:len(f.open)-1]
	}
}

// instruct takes a piece of the innermost field's code.
func (f *docxFields) instruct(code string) {
	if len(f.open) == 0 {
		return
	}
	field := &f.open[len(f.open)-1]
	if !field.inResult {
		field.code += code
		field.code = strings.TrimLeft(field.code[:min(len(field.code), maxFieldCode)], " \t\r\n")
	}
}

// hasResult reports whether a field with this code shows its result. Those that
// set a variable, mark an entry of an index or go through records show none
// (ECMA-376 part 1, 17.16.5), whatever stands in its place.
func hasResult(code string) bool {
	name := ""
	for name = range strings.FieldsSeq(code) {
		break
	}
	switch strings.ToUpper(name) {
	case "SET", "ASK", "XE", "TC", "TA", "RD", "NEXT", "NEXTIF", "SKIPIF":
		return false
	}
	return true
}

// instruction reads a piece of a field's code.
func (w *docxWriter) instruction(p *xmlPart) error {
	return p.children(p.drop, w.fields.instruct)
}

// simpleField reads a field that is one element, of which the content is the
// result.
func (w *docxWriter) simpleField(p *xmlPart, e element) error {
	if !hasResult(e.get("instr")) {
		return w.mute(p)
	}
	return w.walk(p)
}

// story reads what has fields of its own: the body, a note, a text box.
func (w *docxWriter) story(p *xmlPart) error {
	outer, muted := w.fields, w.muted
	defer func() { w.fields, w.muted = outer, muted }()
	if outer.hide() {
		w.muted++
	}
	w.fields = docxFields{}
	return w.walk(p)
}
