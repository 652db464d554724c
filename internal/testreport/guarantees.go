package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// notYet marks a row whose promise is not kept yet, and needs no test.
const notYet = "not yet"

// testName is a test's name in backticks, as a table's cell writes it.
var testName = regexp.MustCompile("`(Test[A-Z0-9_][^`]*)`")

// promise is one row of a table of guarantees.
type promise struct {
	line  int      // in the document, from 1
	tests []string // the tests that prove it
	later bool     // marked "not yet"
}

// checkGuarantees returns a problem for each row of the document's tables that
// names no test though it is not marked as "not yet", and for each test named
// there that did not pass.
func checkGuarantees(path string, r *report) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return []string{fmt.Sprintf("read the guarantees: %v", err)}
	}
	promises := readPromises(string(text))
	if len(promises) == 0 {
		return []string{fmt.Sprintf("%s: no table with a column for tests", path)}
	}
	var found []string
	for _, p := range promises {
		if len(p.tests) == 0 && !p.later {
			found = append(found, fmt.Sprintf("%s:%d: no test is named, and the row does not say %q", path, p.line, notYet))
		}
		for _, name := range p.tests {
			if reason := r.unproved(name); reason != "" {
				found = append(found, fmt.Sprintf("%s:%d: %s %s", path, p.line, name, reason))
			}
		}
	}
	return found
}

// readPromises finds the rows of all tables whose heading has a cell about
// tests. A table that is about something else proves nothing and is left alone.
func readPromises(markdown string) []promise {
	var (
		promises []promise
		row      int  // of the table that a line is in; 0 outside
		proves   bool // the table has a column for tests
	)
	for i, line := range strings.Split(markdown, "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			row = 0
			continue
		}
		row++
		switch row {
		case 1:
			proves = strings.Contains(strings.ToLower(line), "test")
		case 2: // the line of dashes
		default:
			if proves {
				promises = append(promises, readPromise(line, i+1))
			}
		}
	}
	return promises
}

func readPromise(row string, line int) promise {
	p := promise{line: line, later: strings.Contains(strings.ToLower(row), notYet)}
	for _, found := range testName.FindAllStringSubmatch(row, -1) {
		// go test writes a subtest's name with underscores for spaces.
		p.tests = append(p.tests, strings.ReplaceAll(found[1], " ", "_"))
	}
	return p
}

// unproved says why the test of that name, in whichever packages, is no proof
// in this run: empty when it is one. A part that was skipped proves nothing.
func (r *report) unproved(name string) string {
	exists := false
	for id, s := range r.tests {
		if id.name != name && !strings.HasPrefix(id.name, name+"/") {
			continue
		}
		exists = exists || id.name == name
		switch s {
		case failed:
			return "failed"
		case skipped:
			return "was skipped"
		case passed:
		}
	}
	if !exists {
		return "does not exist"
	}
	return ""
}
