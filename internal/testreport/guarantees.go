package main

import (
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/internal/guarantees"
)

// checkGuarantees returns a problem for each row of the document's tables that
// names no test though it is not marked as "not yet", and for each test named
// there that failed or does not exist. Apart from these are the tests that were
// skipped: on this machine they prove nothing.
func checkGuarantees(path string, r *report) (found, unproved []string) {
	rows, err := guarantees.Read(path)
	if err != nil {
		return []string{err.Error()}, nil
	}
	for _, row := range rows {
		if len(row.Tests) == 0 && !row.Later {
			found = append(found, fmt.Sprintf("%s:%d: no test is named, and the row does not say %q", path, row.Line, guarantees.NotYet))
		}
		for _, name := range row.Tests {
			switch reason := r.unproved(name); reason {
			case "":
			case wasSkipped:
				unproved = append(unproved, fmt.Sprintf("%s:%d: %s %s", path, row.Line, name, reason))
			default:
				found = append(found, fmt.Sprintf("%s:%d: %s %s", path, row.Line, name, reason))
			}
		}
	}
	return found, unproved
}

const wasSkipped = "was skipped"

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
			return wasSkipped
		case passed:
		}
	}
	if !exists {
		return "does not exist"
	}
	return ""
}
