package rehearsal

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

// Open reports whether a person has to look at the target to be sure.
func (r Result) Open() bool { return r.has(Open) }

func (r Result) has(v Verdict) bool {
	for _, c := range r.Checks {
		if c.Verdict == v {
			return true
		}
	}
	return false
}
