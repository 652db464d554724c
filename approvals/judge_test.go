package approvals

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestEveryVerdictHasItsCode(t *testing.T) {
	in := func(phase Phase, taken ...Taken) Request {
		r := openRequest()
		r.Phase, r.Taken = phase, taken
		return r
	}
	noPlan := openRequest()
	noPlan.Phase, noPlan.PlanHash, noPlan.Terms = PhaseNoPlan, plan.Digest{}, Terms{}
	endedBefore := noPlan
	endedBefore.Phase = PhaseClosed
	replanning := in(PhaseNoPlan)
	byBo := Taken{Approval: Approval{Approver: bo}, Decision: Approve}
	byCy := Taken{Approval: Approval{Approver: cy}, Decision: Revise}

	for name, tc := range map[string]struct {
		request  Request
		choice   Choice
		hash     plan.Digest
		approver string
		late     bool
		want     Code
		says     string // what the sender is told to do
	}{
		"approve":                     {openRequest(), Approve, h1, bo, false, Accepted, ""},
		"reject":                      {openRequest(), Reject, h1, cy, false, Accepted, ""},
		"revise":                      {openRequest(), Revise, h1, cy, false, Accepted, ""},
		"requester rejects":           {openRequest(), Reject, h1, requester, false, Accepted, ""},
		"before any plan":             {noPlan, Approve, h1, bo, false, NoPlanYet, "Wait until the run shows one"},
		"zero request":                {Request{}, Approve, h1, bo, false, NoPlanYet, "Wait until"},
		"while a new plan is made":    {replanning, Approve, h1, bo, false, NoPlanYet, "Wait until"},
		"ended before any plan":       {endedBefore, Approve, h1, bo, false, TooLate, "without a plan"},
		"other plan":                  {openRequest(), Approve, h0, bo, false, StalePlan, "Read that one"},
		"other plan, stranger":        {openRequest(), Approve, h0, stranger, false, StalePlan, "Read that one"},
		"other plan, late":            {openRequest(), Approve, h0, bo, true, StalePlan, "Read that one"},
		"other plan, executing":       {in(PhaseGranted, byBo), Approve, h0, bo, false, StalePlan, "Read that one"},
		"late":                        {openRequest(), Approve, h1, bo, true, Expired, "2026-01-06T12:00:00Z. Start the run again"},
		"late reject":                 {openRequest(), Reject, h1, bo, true, Expired, "Start the run again"},
		"expired run":                 {in(PhaseExpired), Approve, h1, bo, true, Expired, "Start the run again"},
		"expired run, not marked":     {in(PhaseExpired), Approve, h1, bo, false, Expired, "Start the run again"},
		"stranger":                    {openRequest(), Approve, h1, stranger, false, NotAnApprover, "Ask one who is"},
		"requester approves":          {openRequest(), Approve, h1, requester, false, SelfApproval, "Ask another approver"},
		"same again, executing":       {in(PhaseGranted, byBo), Approve, h1, "Bo.Lin", false, Duplicate, "Nothing is left to do"},
		"same again after the end":    {in(PhaseClosed, byBo), Approve, h1, bo, false, Duplicate, "Nothing is left to do"},
		"same again, deadline passed": {in(PhaseGranted, byBo), Approve, h1, bo, true, Duplicate, "Nothing is left to do"},
		"second approver":             {in(PhaseGranted, byBo), Approve, h1, cy, false, TooLate, "To stop it, cancel the run"},
		"reject while executing":      {in(PhaseGranted, byBo), Reject, h1, bo, false, TooLate, "To stop it, cancel the run"},
		"stranger while executing":    {in(PhaseGranted, byBo), Approve, h1, stranger, false, NotAnApprover, "Ask one who is"},
		"approve while revising":      {in(PhaseRevising, byCy), Approve, h1, bo, false, TooLate, "Wait for the new plan"},
		"revise again":                {in(PhaseRevising, byCy), Revise, h1, cy, false, Duplicate, "Nothing is left to do"},
		"reject after the end":        {in(PhaseClosed, byBo), Reject, h1, cy, false, TooLate, "See its result"},
		"unknown phase":               {in("someday"), Approve, h1, bo, false, TooLate, "ended"},
	} {
		t.Run(name, func(t *testing.T) {
			a := Arrival{Raw: decision(t, tc.choice, tc.hash, tc.approver), Via: ViaUpdate, At: noon.In(time.FixedZone("", 3600)), Late: tc.late}
			v := judgeOne(t, tc.request, a)
			require.Equal(t, tc.want, v.Code, v.Reason)
			require.Equal(t, tc.choice, v.Decision)
			require.Equal(t, tc.hash.String(), v.PlanHash)
			require.Equal(t, ViaUpdate, v.Via)
			require.Equal(t, noon, v.At)
			require.Contains(t, v.Reason, tc.says)
			require.Equal(t, tc.want == Accepted, v.Reason == "")
		})
	}
}

// What was said in a run before its reset may be missing, a rejection too: nothing
// is let go by what is said now, and a rejection still ends it.
func TestResetRunIsAskedAnew(t *testing.T) {
	r := openRequest()
	r.Reset = true
	for name, tc := range map[string]struct {
		choice   Choice
		approver string
		want     Code
	}{
		"approve":  {Approve, bo, AskedAnew},
		"revise":   {Revise, bo, AskedAnew},
		"reject":   {Reject, bo, Accepted},
		"stranger": {Approve, stranger, NotAnApprover},
	} {
		t.Run(name, func(t *testing.T) {
			v := judgeOne(t, r, Arrival{Raw: decision(t, tc.choice, h1, tc.approver), Via: ViaSignal, At: noon})
			require.Equal(t, tc.want, v.Code, v.Reason)
			if v.Code == AskedAnew {
				require.Equal(t, r, r.After(v), "it changes nothing by itself")
			}
		})
	}
}

func TestC001_C002_C004_MalformedDecisionsChangeNothing(t *testing.T) {
	for name, tc := range malformed {
		t.Run(name, func(t *testing.T) {
			for _, phase := range []Phase{PhaseNoPlan, PhaseOpen, PhaseGranted, PhaseExpired, PhaseClosed} {
				r := openRequest()
				r.Phase = phase
				v := judgeOne(t, r, arrival(withHash(tc.raw)))
				require.Equal(t, Malformed, v.Code)
				require.Contains(t, strings.ToLower(v.Reason), strings.ToLower(tc.says))
				require.Contains(t, v.Reason, "Send one JSON object")
				require.Equal(t, Verdict{Code: Malformed, Reason: v.Reason, At: noon, Via: ViaSignal}, v, "a doubtful text was recorded as a decision")
				require.Equal(t, r, r.After(v))
			}
		})
	}
}

func TestC002_AValidApprovalAfterRubbishStillCounts(t *testing.T) {
	batch := []Arrival{
		arrival([]byte("null")), arrival(nil), arrival([]byte("{}")), arrival(decision(t, Approve, h1, bo)),
	}
	require.Equal(t, []Code{Malformed, Malformed, Malformed, Accepted}, codes(Judge(openRequest(), batch)))
}

func TestC005_TheHashOfAnEarlierPlanIsStale(t *testing.T) {
	verdicts := Judge(openRequest(), []Arrival{
		arrival(decision(t, Approve, h0, bo)), arrival(decision(t, Approve, h1, bo)),
	})
	require.Equal(t, []Code{StalePlan, Accepted}, codes(verdicts))
	require.Contains(t, verdicts[0].Reason, h0.String())
	require.Contains(t, verdicts[0].Reason, h1.String())
}

func TestC007_TwoEqualApprovalsAreOne(t *testing.T) {
	approve := arrival(decision(t, Approve, h1, bo))
	second := approve
	second.At = noon.Add(2 * time.Second)

	together := Judge(openRequest(), []Arrival{approve, second})
	require.Equal(t, []Code{Accepted, Duplicate}, codes(together))
	require.Equal(t, bo, together[1].Approver)
	require.Equal(t, noon.Add(2*time.Second), together[1].At)

	// In two batches it is the same.
	first := Judge(openRequest(), []Arrival{approve})
	apart := Judge(fold(openRequest(), first), []Arrival{second})
	require.Equal(t, together, append(first, apart...))
}

func TestC008_TheFirstValidDecisionWins(t *testing.T) {
	approve, reject := arrival(decision(t, Approve, h1, bo)), arrival(decision(t, Reject, h1, cy))

	verdicts := Judge(openRequest(), []Arrival{approve, reject})
	require.Equal(t, []Code{Accepted, TooLate}, codes(verdicts))
	require.Equal(t, PhaseGranted, fold(openRequest(), verdicts).Phase)
	require.Equal(t, cy, verdicts[1].Approver, "the other decision is in the record")
	require.Equal(t, Reject, verdicts[1].Decision)

	verdicts = Judge(openRequest(), []Arrival{reject, approve})
	require.Equal(t, []Code{Accepted, TooLate}, codes(verdicts))
	require.Equal(t, PhaseClosed, fold(openRequest(), verdicts).Phase)
	require.Equal(t, bo, verdicts[1].Approver)
}

func TestC009_ARejectAtTheVeryEndIsTooLateAndListed(t *testing.T) {
	r := fold(openRequest(), Judge(openRequest(), []Arrival{arrival(decision(t, Approve, h1, bo))}))
	r.Phase = PhaseClosed
	v := judgeOne(t, r, arrival(decision(t, Reject, h1, cy)))
	require.Equal(t, []any{TooLate, Reject, cy, noon}, []any{v.Code, v.Decision, v.Approver, v.At})
}

func TestC010_AnApprovalAfterTheDeadlineGetsOneAnswer(t *testing.T) {
	late := arrival(decision(t, Approve, h1, bo))
	late.Late = true
	verdicts := Judge(openRequest(), []Arrival{late, late})
	require.Equal(t, []Code{Expired, Expired}, codes(verdicts))
	require.Equal(t, openRequest(), fold(openRequest(), verdicts))
	require.Equal(t, verdicts[0].Reason, verdicts[1].Reason)
}

func TestC013_WhoMayNotApprove(t *testing.T) {
	for claim, want := range map[string]struct {
		code Code
		says string
	}{
		"ann.wu":       {SelfApproval, "may only reject it"},
		"Ann.Wu":       {SelfApproval, "may only reject it"},
		"ann.wu ":      {NotAnApprover, "begins or ends with a blank"},
		"\u0430nn.wu":  {NotAnApprover, "U+0430"},
		"dan.x":        {NotAnApprover, "dan.x is in no group that the policy weekly-report asks about this plan. Ask one who is: 1 of approvers."},
		"":             {Malformed, "no approver"},
		" ":            {NotAnApprover, "begins or ends with a blank"},
		"bo.lin\u200b": {NotAnApprover, "U+200B"},
		"b\u043e.lin":  {NotAnApprover, "U+043E"},
	} {
		v := judgeOne(t, openRequest(), arrival(decision(t, Approve, h1, claim)))
		require.Equal(t, want.code, v.Code, "%q", claim)
		require.Contains(t, v.Reason, want.says)
		if want.code != Malformed {
			require.Equal(t, claim, v.Approver, "the claim is recorded as it was made")
		}
	}
	v := judgeOne(t, openRequest(), arrival(decision(t, Reject, h1, "Ann.Wu")))
	require.Equal(t, Accepted, v.Code, "the requester may reject her own run")
	require.Equal(t, requester, v.Approver)
}

func TestC015_OneSignalForManyRuns(t *testing.T) {
	approve := arrival(decision(t, Approve, h1, bo))
	second, third := openRequest(), openRequest()
	second.PlanHash, third.PlanHash = plan.Sum([]byte("2")), plan.Sum([]byte("3"))
	require.Equal(t, Accepted, judgeOne(t, openRequest(), approve).Code)
	require.Equal(t, StalePlan, judgeOne(t, second, approve).Code)
	require.Equal(t, StalePlan, judgeOne(t, third, approve).Code)

	// A payload of an encoding that nobody can read, even if valid bytes lie beside it.
	odd := approve
	odd.Unreadable = "its encoding binary/protobuf is not known"
	v := judgeOne(t, openRequest(), odd)
	require.Equal(t, Malformed, v.Code)
	require.Contains(t, v.Reason, "binary/protobuf")
}

func TestJudgeLeavesItsInputAlone(t *testing.T) {
	r := openRequest()
	r.Taken = make([]Taken, 0, 8)
	one := r.After(Verdict{Code: Accepted, Decision: Approve, Approver: bo})
	two := r.After(Verdict{Code: Accepted, Decision: Reject, Approver: cy})
	require.Len(t, one.Taken, 1)
	require.Len(t, two.Taken, 1)
	require.Equal(t, bo, one.Taken[0].Approver)
	require.Equal(t, cy, two.Taken[0].Approver)
	require.Empty(t, r.Taken)
	require.Empty(t, Judge(r, nil))
}

func TestARequestThroughJSON(t *testing.T) {
	granted := fold(openRequest(), Judge(openRequest(), []Arrival{arrival(decision(t, Approve, h1, bo))}))
	for _, r := range []Request{{}, openRequest(), granted} {
		raw, err := json.Marshal(r)
		require.NoError(t, err)
		var back Request
		require.NoError(t, json.Unmarshal(raw, &back))
		require.Equal(t, r, back)
	}
}

// anyArrival draws decisions that come close to valid ones.
func anyArrival(t *rapid.T) Arrival {
	names := []string{
		requester, "Ann.Wu", "ANN.WU", "ann.wu ", "\u0430nn.wu", "ann.wu\u200b", stranger, "bo.lin,ann.wu", bo, "Bo.Lin", cy, "", "*",
	}
	raw := string(decision(t, rapid.SampledFrom([]Choice{Approve, Approve, Reject, Revise, "Approve", ""}).Draw(t, "choice"),
		rapid.SampledFrom([]plan.Digest{h1, h1, h0, {}}).Draw(t, "hash"), rapid.SampledFrom(names).Draw(t, "approver")))
	if rapid.IntRange(0, 9).Draw(t, "spoil") == 0 {
		raw = strings.Replace(raw, rapid.SampledFrom([]string{"{", "decision", `"approver"`, "sha256:", "}"}).Draw(t, "from"),
			rapid.SampledFrom([]string{`{"decision":"approve",`, "Decision", `"approver":"bo.lin","approver"`, "", `,"x":1}`}).Draw(t, "to"), 1)
	}
	return Arrival{Raw: []byte(raw), Via: ViaSignal, At: noon, Late: rapid.Bool().Draw(t, "late")}
}

func TestOnlyAnApproverOnTheListIsEverAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := openRequest()
		r.Phase = rapid.SampledFrom([]Phase{PhaseNoPlan, PhaseOpen, PhaseOpen, PhaseGranted, PhaseRevising, PhaseExpired, PhaseClosed}).Draw(t, "phase")
		if rapid.Bool().Draw(t, "requester is listed") {
			r.Terms.Quorums[0].Members = []string{requester, bo, cy}
		}
		batch := rapid.SliceOfN(rapid.Custom(anyArrival), 1, 8).Draw(t, "batch")
		verdicts := Judge(r, batch)
		require.Len(t, verdicts, len(batch))

		accepted := 0
		for i, v := range verdicts {
			if v.Code != Accepted {
				require.NotEmpty(t, v.Reason)
				continue
			}
			accepted++
			require.Equal(t, PhaseOpen, r.Phase, "accepted while the gate was shut")
			require.False(t, batch[i].Late, "accepted after the deadline")
			require.Equal(t, h1.String(), v.PlanHash, "accepted for another plan")
			if v.Approver == requester {
				require.Equal(t, Reject, v.Decision, "the requester approved her own run")
			} else {
				require.Contains(t, []string{bo, cy}, v.Approver)
			}
		}
		require.LessOrEqual(t, accepted, 1, "one gate was decided twice")

		// However the sequence is cut into batches, the verdicts are the same.
		cut := rapid.IntRange(0, len(batch)).Draw(t, "cut")
		first := Judge(r, batch[:cut])
		rest := Judge(fold(r, first), batch[cut:])
		require.Equal(t, verdicts, slices.Concat(first, rest))
	})
}
