package outline

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// readCSV returns the records of a CSV document as rows. The first record is
// the header unless one of its cells is a date. Commas part the cells, or
// semicolons or tabs when the first line has those and no comma. Its error says
// that it is none, or has too many cells; a separator in quotes counts as one.
func readCSV(document string) ([]block, error) {
	comma := separator(document)
	if strings.Count(document, string(comma)) > maxCells {
		return nil, errTooLarge
	}
	r := csv.NewReader(strings.NewReader(document))
	r.Comma = comma
	r.FieldsPerRecord = -1
	r.LazyQuotes = true
	var rows []block
	var header []string
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		first, _ := r.FieldPos(0)
		breaks := 0 // a quoted cell may run over several lines
		for i, cell := range cells {
			breaks += strings.Count(cell, "\n")
			cells[i] = oneLine(cell)
		}
		switch {
		case strings.Join(cells, "") == "":
		case header == nil && len(rows) == 0 && !hasDate(cells):
			header = cells
		default:
			rows = append(rows, block{kind: row, first: first, last: first + breaks, header: header, cells: cells})
		}
	}
}

func separator(document string) rune {
	line, _, _ := strings.Cut(document, "\n")
	for _, c := range []rune{',', ';', '\t'} {
		if strings.ContainsRune(line, c) {
			return c
		}
	}
	return ','
}

func hasDate(cells []string) bool {
	for _, cell := range cells {
		if found := dates(cell, day{}); len(found) > 0 && found[0].start == 0 {
			return true
		}
	}
	return false
}
