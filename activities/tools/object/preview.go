package object

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// maxShown is how much of an object that is replaced is read and compared, in
// bytes.
const maxShown = 256 << 10

// preview is what an approver reads: all that will be written, or how it
// differs from what is there.
func preview(where string, w write, now current) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s, %d bytes, %s\n", where, w.contentType, len(w.content), plan.Sum(w.content))
	switch {
	case now.state == absent:
		b.WriteString("new\n\n")
	case readable(now):
		return b.String() + difference(w, now)
	default:
		fmt.Fprintf(&b, "replaces %d bytes that cannot be shown, %s\n\n", now.size, now.state)
	}
	b.Write(w.content)
	return b.String()
}

// readable reports an object that was read whole and is a text.
func readable(now current) bool {
	return int64(len(now.head)) == now.size && utf8.Valid(now.head)
}

func difference(w write, now current) string {
	if now.asWanted {
		return "no change: it has this content already\n"
	}
	text := string(diff.Diff("a/"+w.name, now.head, "b/"+w.name, w.content))
	_, text, _ = strings.Cut(text, "\n") // its first line only repeats the two names
	return fmt.Sprintf("replaces %d bytes, %s\n\n%s", now.size, now.state, text)
}
