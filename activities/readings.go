package activities

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// readings are what an approver should know of how texts were got, by kind of
// trouble. However many documents there are, a plan carries a note for each kind
// alone; the manifest has them all.
type readings struct {
	unread, guessed, replaced, nuls, hidden, invisible planners.Tally
}

// add takes what was done to read a document.
func (r *readings) add(e sources.Entry, d text.Decoded) {
	name := tail(plan.Escape(e.Source+"/"+e.Path), maxExampleBytes)
	encoding := strings.ToUpper(strings.TrimSuffix(d.Encoding, "-bom"))
	if d.Problem != "" {
		r.unread.Add(name + " (" + d.Problem + ")")
	}
	if d.Guessed {
		r.guessed.Add(name + " (" + encoding + ")")
	}
	if d.Replaced > 0 {
		r.replaced.Add(fmt.Sprintf("%s (%d that are no %s)", name, d.Replaced, cmp.Or(encoding, "letters")))
	}
	for _, removed := range []struct {
		n    int
		from *planners.Tally
	}{{d.NULs, &r.nuls}, {d.Hidden, &r.hidden}, {d.Invisible, &r.invisible}} {
		if removed.n > 0 {
			removed.from.Add(fmt.Sprintf("%s (%d)", name, removed.n))
		}
	}
}

func (r *readings) notes() []string {
	var notes []string
	for _, kind := range []struct {
		documents *planners.Tally
		what      string
	}{
		{&r.unread, "not read"},
		{&r.guessed, "nothing in it proves the encoding, which was taken to be the one named"},
		{&r.replaced, "bytes that do not decode were replaced"},
		{&r.nuls, "NUL characters were removed"},
		{&r.hidden, "comments or hidden elements were left out"},
		{&r.invisible, "invisible characters were removed"},
	} {
		if n := kind.documents.Len(); n > 0 {
			notes = append(notes, fmt.Sprintf("%s, in %d of the documents: %s", kind.what, n, kind.documents))
		}
	}
	return notes
}
