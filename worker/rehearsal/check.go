package rehearsal

import "slices"

// Verdict is what came of a check. The zero Verdict says nothing good.
type Verdict int

// The verdicts.
const (
	// Broken: the target did not do what the class says.
	Broken Verdict = iota
	// Open: the target cannot tell; a person can.
	Open
	// Kept: it did.
	Kept
)

func (v Verdict) String() string {
	switch v {
	case Kept:
		return "ok"
	case Open:
		return "open"
	default:
		return "BROKEN"
	}
}

// Check is one thing that was found out.
type Check struct {
	Step    string
	Verdict Verdict
	Detail  string // one line, for people
}

// Result is all that was found out.
type Result struct{ Checks []Check }

// Holds reports whether nothing speaks against the class.
func (r Result) Holds() bool { return !r.has(Broken) && len(r.Checks) > 0 }

// Open lists the steps of which something was not found out, each once: a person
// has to look at the target, or to name what was missing.
func (r Result) Open() []string {
	var steps []string
	for _, c := range r.Checks {
		if c.Verdict == Open && !slices.Contains(steps, c.Step) {
			steps = append(steps, c.Step)
		}
	}
	return steps
}

func (r Result) has(v Verdict) bool {
	for _, c := range r.Checks {
		if c.Verdict == v {
			return true
		}
	}
	return false
}
