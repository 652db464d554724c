package workflows

import "github.com/holdpoint/holdpoint/approvals"

// Decisions lists the verdicts on decisions: a count for each code, and the
// last MaxVerdicts of them.
type Decisions struct {
	Counts []CodeCount         `json:"counts,omitempty"`
	Recent []approvals.Verdict `json:"recent,omitempty"`
}

// CodeCount is how often a verdict was given.
type CodeCount struct {
	Code  approvals.Code `json:"code"`
	Count int            `json:"count"`
}

// MaxVerdicts bounds the verdicts that are kept whole; older ones are counted.
const MaxVerdicts = 50

// Add records a verdict, a refusal in short: a flood of long ones must not
// fill the history.
func (d *Decisions) Add(v approvals.Verdict) {
	if v.Code != approvals.Accepted {
		v = v.Short()
	}
	d.Recent = append(d.Recent, v)
	if extra := len(d.Recent) - MaxVerdicts; extra > 0 {
		d.Recent = append([]approvals.Verdict(nil), d.Recent[extra:]...)
	}
	for i := range d.Counts {
		if d.Counts[i].Code == v.Code {
			d.Counts[i].Count++
			return
		}
	}
	d.Counts = append(d.Counts, CodeCount{v.Code, 1})
}
