package text

import (
	"errors"
	"strings"
)

// maxDOCXLine bounds a paragraph, and a table row, of which there are several
// copies while it is put together.
const maxDOCXLine = 4 << 20

var errLineTooLong = errors.New("it has a paragraph or a table row of more than 4 MiB")

// docxWriter writes the text of a body or of notes, a line for each paragraph
// and table row.
type docxWriter struct {
	styles styleSheet
	out    strings.Builder
	hidden int

	mark  string    // of the note to come
	muted int       // depth of what a reader does not see
	para  *docxPara // that is being read; nil outside
	table docxStyle // of the table that is being read
	rows  int       // depth of nested table rows
	cells []string  // of the row being read
	cell  []string  // paragraphs of the cell being read
	held  int       // bytes of the row being read
	heads bool      // the row is a row of headers

	fields docxFields // of the story that is being read
}

// docxPara is a paragraph that is being read.
type docxPara struct {
	style docxStyle
	text  strings.Builder
}

// walk writes the children of the element that was opened last.
func (w *docxWriter) walk(p *xmlPart) error {
	return p.children(func(e element) error { return w.element(p, e) }, nil)
}

// element writes the element that was opened last.
func (w *docxWriter) element(p *xmlPart, e element) error {
	if !e.isWord() {
		return w.foreign(p, e)
	}
	switch e.Name.Local {
	case "p":
		return w.paragraph(p)
	case "r":
		return w.run(p)
	case "tbl":
		return w.wordTable(p)
	case "tblPr":
		return w.tableProperties(p)
	case "tr":
		return w.row(p)
	case "tc":
		return w.tableCell(p)
	case "trPr":
		return w.rowProperties(p)
	case "pPr":
		return w.paragraphProperties(p)
	case "del", "moveFrom":
		return w.mute(p)
	case "footnote", "endnote":
		return w.note(p, e)
	case "txbxContent":
		return w.story(p)
	case "fldSimple":
		return w.simpleField(p, e)
	case "rPr", "tcPr", "sectPr", "sdtPr", "instrText", "delInstrText":
		return p.skip()
	}
	return w.walk(p)
}

// mute reads what a reader does not see.
func (w *docxWriter) mute(p *xmlPart) error {
	w.muted++
	defer func() { w.muted-- }()
	return w.walk(p)
}

// say adds text to the paragraph, or counts it as hidden.
func (w *docxWriter) say(text string) {
	text = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(text)
	switch {
	case w.unseen():
		if strings.TrimSpace(text) != "" {
			w.hidden++
		}
	case w.para != nil:
		w.para.text.WriteString(text)
	}
}

// unseen reports whether a reader does not see what is being read.
func (w *docxWriter) unseen() bool { return w.muted > 0 || w.fields.hide() }

// lineTooLong is asked after each text.
func (w *docxWriter) lineTooLong() error {
	if w.held > maxDOCXLine || w.para != nil && w.para.text.Len() > maxDOCXLine {
		return errLineTooLong
	}
	return nil
}

// breakLine ends a line inside a paragraph.
func (w *docxWriter) breakLine() {
	if !w.unseen() && w.para != nil {
		w.para.text.WriteByte('\n')
	}
}

// paragraph reads one. A text box inside a paragraph has paragraphs of its
// own, which come first.
func (w *docxWriter) paragraph(p *xmlPart) error {
	outer := w.para
	w.para = &docxPara{style: w.styles.paragraph("")}
	err := w.walk(p)
	done := w.para
	w.para = outer
	if err != nil {
		return err
	}
	return w.finish(done)
}

func (w *docxWriter) finish(para *docxPara) error {
	text := strings.TrimSpace(para.text.String())
	if text == "" {
		return nil
	}
	if w.rows > 0 {
		w.cell = append(w.cell, strings.Join(strings.Fields(text), " "))
		w.held += len(text)
		return nil
	}
	prefix := w.mark
	w.mark = ""
	switch {
	case para.style.heading > 0:
		prefix += strings.Repeat("#", min(para.style.heading, 6)) + " "
		text = strings.Join(strings.Fields(text), " ")
	case para.style.list > 0:
		prefix += strings.Repeat("  ", para.style.list-1) + "- "
	}
	return w.line(prefix + text)
}

func (w *docxWriter) line(text string) error {
	if w.out.Len()+len(text) > MaxBytes {
		return errors.New(tooMuch + " of text")
	}
	w.out.WriteString(text)
	w.out.WriteByte('\n')
	return nil
}

func (w *docxWriter) paragraphProperties(p *xmlPart) error {
	own, named := docxStyle{}, ""
	err := p.words(func(e element) error {
		switch e.Name.Local {
		case "pStyle":
			named = e.get("val")
		case "numPr":
			return own.properties(p)
		case "outlineLvl":
			own.property(e)
		}
		return p.skip() // also rPr, which is of the paragraph's end mark
	})
	if w.para != nil {
		own.inherit(w.styles.paragraph(named))
		w.para.style = own
	}
	return err
}

// note reads a footnote or endnote. Those that have a type are lines between
// notes and text.
func (w *docxWriter) note(p *xmlPart, e element) error {
	if kind := e.get("type"); kind != "" && kind != "normal" {
		return p.skip()
	}
	w.mark = noteMark(e) + ": "
	err := w.story(p)
	w.mark = ""
	return err
}

// noteMark returns the mark of a note, or of a reference to one.
func noteMark(e element) string {
	kind := ""
	if strings.HasPrefix(e.Name.Local, "endnote") {
		kind = "e"
	}
	return "[^" + kind + e.get("id") + "]"
}
