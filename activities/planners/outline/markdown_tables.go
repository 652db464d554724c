package outline

import "strings"

// tableCells is how many cells the tables of a document can have at most. A
// table is a line of dashes and bars, the line before it, and all that follow
// up to the end of the paragraph, each with as many cells as the first has.
func tableCells(document string) int {
	cells, columns, above := 0, 0, 0
	for line := range strings.SplitSeq(document, "\n") {
		bars := strings.Count(line, "|")
		switch {
		case strings.Trim(line, " \t") == "":
			columns = 0
		case canDelimit(line):
			columns = max(columns, bars+1)
			cells += above + 1
		}
		cells += columns
		above = bars
	}
	return cells
}

// canDelimit reports whether a line, apart from the marks of quotes and items
// before it, is one that makes a table of its paragraph.
func canDelimit(line string) bool {
	rest := strings.TrimLeft(line, " \t>*+-0123456789.)|:")
	return strings.Trim(rest, "-|: \t\v\f\r") == "" && strings.Contains(line, "-")
}
