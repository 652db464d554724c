package text

import "strings"

// wordTable reads a table, whose style holds for what is in it.
func (w *docxWriter) wordTable(p *xmlPart) error {
	outer := w.table
	defer func() { w.table = outer }()
	w.table = docxStyle{}
	return w.walk(p)
}

// tableProperties are a table's first child.
func (w *docxWriter) tableProperties(p *xmlPart) error {
	return p.words(func(e element) error {
		if e.Name.Local == "tblStyle" {
			w.table = w.styles.find(e.get("val"))
		}
		return p.skip()
	})
}

// row writes a table row as one line. A table in a cell is part of the cell's
// text.
func (w *docxWriter) row(p *xmlPart) error {
	muted := w.muted
	defer func() { w.muted = muted }() // a hidden row ends
	if w.rows > 0 {
		return w.walk(p)
	}
	w.rows++
	w.cells, w.held, w.heads = nil, 0, false
	err := w.walk(p)
	w.rows--
	if err != nil || strings.Join(w.cells, "") == "" {
		return err
	}
	mark := w.mark
	w.mark = ""
	if err := w.line(mark + "| " + strings.Join(w.cells, " | ") + " |"); err != nil || !w.heads {
		return err
	}
	return w.line("|" + strings.Repeat(" --- |", len(w.cells)))
}

func (w *docxWriter) tableCell(p *xmlPart) error {
	if w.rows != 1 {
		return w.walk(p)
	}
	w.rows++
	w.cell = nil
	err := w.walk(p)
	w.rows--
	w.cells = append(w.cells, strings.ReplaceAll(strings.Join(w.cell, " "), "|", `\|`))
	return err
}

// rowProperties are a row's first child. A hidden row is not seen as a whole.
func (w *docxWriter) rowProperties(p *xmlPart) error {
	return p.words(func(e element) error {
		switch {
		case e.Name.Local == "tblHeader" && w.rows == 1:
			w.heads = e.on()
		case e.Name.Local == "hidden" && e.on():
			w.muted++
		}
		return p.skip()
	})
}
