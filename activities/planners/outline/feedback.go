package outline

import (
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
)

// wishes are what approvers wrote that this planner can act on.
type wishes struct {
	only, exclude folder.Globs
	week          week
	notes         []string // about all that it cannot act on
}

// readFeedback reads the approvers' words, line by line. The planner does not
// reason; it knows three directives:
//
//	only: GLOB       make pages of these documents alone; may be given several times
//	exclude: GLOB    make none of these; wins over only
//	week: 2026-W47   report this week; the last one counts
//
// Globs (see folder.Globs) match a document's path in its source. Every other
// line comes back as a note, and so does a directive with a mistake in it: the
// approver sees that it was not followed and can ask again, while a fault would
// end the run.
func readFeedback(feedback []string) wishes {
	var w wishes
	for _, text := range feedback {
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if problem := w.read(line); problem != "" {
				w.notes = append(w.notes, problem+": "+cutRunes(plan.Escape(line), maxTitle))
			}
		}
	}
	return w
}

// read follows one line, or says why it cannot.
func (w *wishes) read(line string) (problem string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "only":
		return addGlob(&w.only, value)
	case "exclude":
		return addGlob(&w.exclude, value)
	case "week":
		if named, err := namedWeek(value); err == nil && !named.isZero() {
			w.week = named
			return ""
		}
		return "feedback that names no week, like 2026-W48"
	default:
		return "feedback that the outline planner cannot act on"
	}
}

func addGlob(to *folder.Globs, value string) (problem string) {
	globs, err := folder.ParseGlobs([]string{value})
	if err != nil {
		return "feedback that was not followed (" + err.Error() + ")"
	}
	*to = append(*to, globs...)
	return ""
}

// keep reports whether a document is wanted.
func (w wishes) keep(d planners.Document) bool {
	return (len(w.only) == 0 || w.only.Match(d.Path)) && !w.exclude.Match(d.Path)
}

// choose returns the documents that are wanted. Wishes that would leave none
// are not followed.
func (w *wishes) choose(documents []planners.Document) []planners.Document {
	var kept []planners.Document
	for _, d := range documents {
		if w.keep(d) {
			kept = append(kept, d)
		}
	}
	if len(kept) == 0 && len(documents) > 0 {
		w.notes = append(w.notes, "feedback that was not followed: only and exclude leave no document")
		return documents
	}
	return kept
}
