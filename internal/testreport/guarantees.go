package main

import (
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/internal/guarantees"
)

// checkGuarantees returns a problem for each row of the document's tables that
// names no test though it is not marked as "not yet", and for each test named
// there that did not pass.
func checkGuarantees(path string, r *report) []string {
	rows, err := guarantees.Read(path)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, row := range rows {
		if len(row.Tests) == 0 && !row.Later {
			found = append(found, fmt.Sprintf("%s:%d: no test is named, and the row does not say %q", path, row.Line, guarantees.NotYet))
		}
		for _, name := range row.Tests {
			if reason := r.unproved(name); reason != "" {
				found = append(found, fmt.Sprintf("%s:%d: %s %s", path, row.Line, name, reason))
			}
		}
	}
	return found
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
