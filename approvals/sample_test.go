package approvals

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The cast: ann.wu asks, bo.lin and cy.ma may approve, dan.x may not.
const (
	requester = "ann.wu"
	bo        = "bo.lin"
	cy        = "cy.ma"
	stranger  = "dan.x"
)

var (
	h0   = plan.Sum([]byte("the earlier plan"))
	h1   = plan.Sum([]byte("the current plan"))
	noon = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
)

// sampleTerms want one of bo and cy, whose name is believed.
func sampleTerms() Terms {
	return Terms{
		Label: "weekly-report", Version: "weekly-report@sha256:01", Proof: ByClaim,
		Quorums:      []Quorum{{Group: "approvers", Need: 1, Members: []string{bo, cy}}},
		DecideWithin: 24 * time.Hour, GrantLife: 8 * time.Hour,
		Resolvers: []Resolvers{{Members: []string{bo, cy}}},
	}
}

// asking returns terms that want so many of each group, each "name=a,b,c".
func asking(need map[string]int, groups ...string) Terms {
	terms := sampleTerms()
	terms.Quorums = nil
	for _, g := range groups {
		name, members, _ := strings.Cut(g, "=")
		terms.Quorums = append(terms.Quorums, Quorum{Group: name, Need: need[name], Members: strings.Split(members, ",")})
	}
	return terms
}

// openRequest waits for a decision on h1.
func openRequest() Request {
	return Request{
		RunID: "tenant-a/weekly-2025-w40", RequestID: "01JD", Phase: PhaseOpen, PlanHash: h1,
		Requester: requester, Terms: sampleTerms(), DecideBy: noon.Add(24 * time.Hour),
	}
}

// decision writes a decision as a person would send it.
func decision(t require.TestingT, c Choice, hash plan.Digest, approver string) []byte {
	d := Decision{Decision: c, PlanHash: hash, Approver: approver}
	if c == Revise {
		d.Feedback = "leave the index alone"
	}
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	return raw
}

func arrival(raw []byte) Arrival { return Arrival{Raw: raw, Via: ViaSignal, At: noon} }

// judgeOne judges a single arrival.
func judgeOne(t *testing.T, r Request, a Arrival) Verdict {
	t.Helper()
	verdicts := Judge(r, []Arrival{a})
	require.Len(t, verdicts, 1)
	return verdicts[0]
}

// fold returns the request as the verdicts leave it.
func fold(r Request, verdicts []Verdict) Request {
	for _, v := range verdicts {
		r = r.After(v)
	}
	return r
}

func codes(verdicts []Verdict) []Code {
	list := make([]Code, len(verdicts))
	for i, v := range verdicts {
		list[i] = v.Code
	}
	return list
}
