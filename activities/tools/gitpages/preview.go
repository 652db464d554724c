package gitpages

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// preview is what an approver reads: the page's change as a unified diff. It
// is computed here and not by git, so that it is the same on every machine,
// whatever its version and settings.
func preview(page string, before place, old, wanted []byte) string {
	if bytes.Equal(old, wanted) && before.blob != "" {
		return "no change: " + page + " already has this content\n"
	}
	from := "a/" + page
	if before.blob == "" {
		from = "/dev/null"
	}
	// A page that somebody wrote in another encoding is shown with marks in
	// the place of its odd bytes; the plan is UTF-8.
	old = bytes.ToValidUTF8(old, []byte("\uFFFD"))
	text := string(diff.Diff(from, old, "b/"+page, wanted))
	_, text, _ = strings.Cut(text, "\n") // its first line only repeats the two names
	return text
}
