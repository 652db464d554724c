package gitpages

import (
	"strings"

	"github.com/holdpoint/holdpoint/activities/tools"
)

// The trailers of a commit: trailerKey is read again by this tool, the others
// are for people.
const (
	trailerKey      = "Holdpoint-Key"
	trailerPlan     = "Holdpoint-Plan"
	trailerRun      = "Holdpoint-Run"
	trailerApprover = "Approved-By"
)

// message is the commit message of an action. Every value is one line.
func message(c tools.Call, title, page string) string {
	var b strings.Builder
	b.WriteString(oneLine(title) + "\n\n")
	b.WriteString("Holdpoint wrote " + page + " as it was approved.\n\n")
	b.WriteString(trailerKey + ": " + oneLine(c.Action.IdempotencyKey) + "\n")
	b.WriteString(trailerPlan + ": " + c.PlanHash.String() + "\n")
	if run := oneLine(c.RunID); run != "" {
		b.WriteString(trailerRun + ": " + run + "\n")
	}
	if approver := oneLine(c.Approver); approver != "" {
		b.WriteString(trailerApprover + ": " + approver + "\n")
	}
	return b.String()
}

// keysIn returns the values of the Holdpoint-Key trailers of a commit message.
// Trailers stand in the last paragraph, which is never the first one, so a
// subject that looks like a trailer is none. Git's own reading of trailers
// depends on the repository's configuration; this one does not.
func keysIn(message string) []string {
	message = strings.TrimRight(message, "\n")
	at := strings.LastIndex(message, "\n\n")
	if at < 0 {
		return nil
	}
	var values []string
	for line := range strings.SplitSeq(message[at+2:], "\n") {
		if value, ok := strings.CutPrefix(line, trailerKey+": "); ok {
			values = append(values, value)
		}
	}
	return values
}
