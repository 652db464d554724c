package main

import (
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/workflows"
)

// unresolved says which actions of a run that is over keep it from being
// started once more, and what to do; "" when none does. An action in doubt is
// none when a further attempt finds out by itself whether it happened.
func unresolved(s workflows.Status) string {
	hidden := s.Counts.InDoubt
	var ids []string
	for _, a := range s.Actions {
		if a.Status != workflows.StepInDoubt {
			continue
		}
		hidden--
		if !a.Recoverable {
			ids = append(ids, a.ID)
		}
	}
	if hidden > 0 {
		// Nothing is known of a row that the status leaves out.
		ids = append(ids, fmt.Sprintf("%d more", hidden))
	}
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf("no further attempt can find out whether these actions happened: %s. "+
		"Look at their target, and start what is left under another business id", strings.Join(ids, ", "))
}
