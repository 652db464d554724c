// Package guarantees reads the tables of docs/guarantees.md: what is promised,
// and by which tests.
package guarantees

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// NotYet marks a row whose promise is not kept yet, and needs no test.
const NotYet = "not yet"

// Row is one row of a table of guarantees.
type Row struct {
	Line    int      // in the document, from 1
	Promise string   // the text of its first cell
	Tests   []string // the tests that prove it, by the names that go test writes
	Later   bool     // marked "not yet"
}

// testName is a test's name in backticks, as a table's cell writes it.
var testName = regexp.MustCompile("`(Test[A-Z0-9_][^`]*)`")

// Read returns the rows of the file's tables. A file without any is an error.
func Read(path string) ([]Row, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the guarantees: %w", err)
	}
	rows := Parse(string(text))
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no table with a column for tests", path)
	}
	return rows, nil
}

// Parse finds the rows of all tables whose heading has a cell about tests. A
// table that is about something else proves nothing and is left alone.
func Parse(markdown string) []Row {
	var (
		rows   []Row
		place  int  // in the table that a line is in; 0 outside
		proves bool // the table has a column for tests
	)
	for i, line := range strings.Split(markdown, "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			place = 0
			continue
		}
		place++
		switch place {
		case 1:
			proves = strings.Contains(strings.ToLower(line), "test")
		case 2: // the line of dashes
		default:
			if proves {
				rows = append(rows, parseRow(line, i+1))
			}
		}
	}
	return rows
}

func parseRow(text string, line int) Row {
	promise, _, _ := strings.Cut(strings.TrimPrefix(text, "|"), "|")
	r := Row{Line: line, Promise: strings.TrimSpace(promise), Later: strings.Contains(strings.ToLower(text), NotYet)}
	for _, found := range testName.FindAllStringSubmatch(text, -1) {
		// go test writes a subtest's name with underscores for spaces.
		r.Tests = append(r.Tests, strings.ReplaceAll(found[1], " ", "_"))
	}
	return r
}
