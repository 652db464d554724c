package planners

import (
	"fmt"
	"strings"
)

// maxNamed is how many documents a note names.
const maxNamed = 20

// Tally is the documents that one note is about: the first of them by name, and
// the number of the rest. A task can have 100,000, and a note is for a person.
type Tally struct {
	named []string
	more  int
}

// Add takes a name, as it is to be shown.
func (t *Tally) Add(name string) {
	if len(t.named) == maxNamed {
		t.more++
		return
	}
	t.named = append(t.named, name)
}

// Len is how many were added.
func (t *Tally) Len() int { return len(t.named) + t.more }

// String lists them in one line.
func (t *Tally) String() string {
	list := strings.Join(t.named, ", ")
	if t.more > 0 {
		list += fmt.Sprintf(" and %d more", t.more)
	}
	return list
}
