package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// The statement that is signed stands on the screen before the question, below
// the plan, word for word.
func TestWhatIsSignedIsShown(t *testing.T) {
	mine := newKey(t)
	ts := terms(approvals.BySignature, of(mei, mine))
	c := at(keys(startAgent(t, mine)), waiting(t, "r1", ts, samplePlan()))
	say := approval(mei, proofFlags{})
	say.yes = false
	require.NoError(t, c.decide(t.Context(), "acme/x", say, false))

	hash := plan.Sum(canonical(t, samplePlan())).String()
	statement := strings.Join([]string{
		"holdpoint decision v1", "run: acme/x", "request: r1", "plan: " + hash, "decision: approve",
		"approver: " + mei, "expires: 2026-12-01T16:00:00Z",
		"text-sha256: " + strings.TrimPrefix(plan.Sum([]byte("checked")).String(), "sha256:"), "",
	}, "\n")
	shown := c.out.String()
	require.Contains(t, shown, statement)
	require.Less(t, strings.Index(shown, "Plan "+hash), strings.Index(shown, statement))
	require.Less(t, strings.Index(shown, statement), strings.Index(shown, "[yes/no]"))
	require.Contains(t, shown, "text: checked")
	requireSigned(t, c.verdict(t), mine)
}

func canonical(t *testing.T, p plan.Plan) []byte {
	t.Helper()
	raw, err := p.Canonical()
	require.NoError(t, err)
	return raw
}

func TestNothingIsSentWhenTheRunAsksForSomethingElseByNow(t *testing.T) {
	mine := newKey(t)
	ts := terms(approvals.BySignature, of(mei, mine))
	dearer := samplePlan()
	dearer.Actions[0].Parameters = json.RawMessage(`{"amount":82001}`)
	shown := waiting(t, "r1", ts, samplePlan())
	gone := waiting(t, "r1", ts, samplePlan())
	gone.Closed, gone.Status.Status = true, workflows.Rejected
	for name, tc := range map[string]struct {
		now  *runs.Run
		says []string
	}{
		"another request": {waiting(t, "r2", ts, samplePlan()), []string{"request r1", "request r2"}},
		"another plan": {waiting(t, "r1", ts, dearer), []string{
			plan.Sum(canonical(t, samplePlan())).String(), plan.Sum(canonical(t, dearer)).String(),
		}},
		"the end": {gone, []string{"is rejected"}},
	} {
		for _, proof := range []approvals.Proof{approvals.BySignature, approvals.ByClaim} {
			t.Run(name+" by "+string(proof), func(t *testing.T) {
				c := at(keys(startAgent(t, mine)), shown, tc.now)
				err := c.decide(t.Context(), "acme/x", approval(mei, proofFlags{}), false)
				require.ErrorContains(t, err, "nothing was sent")
				for _, text := range tc.says {
					require.ErrorContains(t, err, text)
				}
				require.Empty(t, c.sent)
			})
		}
	}
}

func TestOnlyAClearYesIsSent(t *testing.T) {
	run := waiting(t, "r1", terms(approvals.ByClaim), samplePlan())
	say := approval(mei, proofFlags{})
	say.yes = false
	for answer, sent := range map[string]int{"yes\n": 1, " YES \nno\n": 1, "yes": 1, "no\n": 0, "y\n": 0, "\n": 0, "": 0, "yes, please\n": 0} {
		t.Run(answer, func(t *testing.T) {
			c := at(keys(""), run)
			c.in = strings.NewReader(answer)
			err := c.decide(t.Context(), "acme/x", say, false)
			require.Equal(t, sent == 0, err != nil, "%v", err)
			require.Len(t, c.sent, sent)
		})
	}
	silent, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := at(keys(""), run)
	c.in = silent
	require.ErrorIs(t, c.decide(ctx, "acme/x", say, false), context.Canceled, "Ctrl-C ends the question")
	require.ErrorAs(t, c.decide(t.Context(), "acme/x", say, true), new(cli.UsageError), "a program cannot be asked")
	require.Empty(t, c.sent)
}

func TestMistakesAreFoundBeforeAnythingIsShown(t *testing.T) {
	run := waiting(t, "r1", terms(approvals.ByClaim), samplePlan())
	for name, say := range map[string]decision{
		"no such action":   {choice: approvals.Approve, as: mei, action: "fly", yes: true},
		"no UTF-8":         {choice: approvals.Approve, as: mei, comment: "a\xff", yes: true},
		"a long comment":   {choice: approvals.Approve, as: mei, comment: strings.Repeat("a", approvals.MaxTextBytes+1), yes: true},
		"a Cyrillic name":  {choice: approvals.Approve, as: "m\u0435i.chen@example.com", yes: true},
		"an action revise": {choice: approvals.Revise, as: mei, action: "pay", feedback: "less", yes: true},
		"another plan":     {choice: approvals.Approve, as: mei, planHash: plan.Sum([]byte("x")).String()},
	} {
		t.Run(name, func(t *testing.T) {
			c := at(keys(""), run)
			require.Error(t, c.decide(t.Context(), "acme/x", say, false))
			require.Empty(t, c.sent)
			require.Empty(t, c.out.String())
		})
	}
}

// A word about one action, and about one in doubt, is signed like any other.
func TestWordsAboutOneAction(t *testing.T) {
	mine := newKey(t)
	ts := terms(approvals.ByClaim, of(cy, mine))
	ts.Confirm = []string{"pay"}
	state := granted(t, waiting(t, "r1", ts, samplePlan())).State
	state.Actions[0].Unconfirmed = true
	c := at(keys(startAgent(t, mine)), seen(state))
	say := approval(cy, proofFlags{})
	say.action = "pay"
	require.NoError(t, c.decide(t.Context(), "acme/x", say, false))
	requireSigned(t, c.verdict(t), mine)
	require.Contains(t, c.out.String(), "\naction: pay\n")

	state = granted(t, waiting(t, "r1", ts, samplePlan())).State
	state.Actions[1].Status = workflows.StepInDoubt
	state.Actions[1].Doubt = &workflows.Doubt{Token: 7, Target: "bank/tell", SentAt: noon}
	doubt := seen(state)
	c = at(keys(startAgent(t, mine)), doubt)
	found := finding{action: "tell", outcome: "happened", as: cy, evidence: "it is in the log"}
	require.NoError(t, c.resolve(t.Context(), "acme/x", found, proofFlags{}))
	requireSigned(t, c.verdict(t), mine)
	require.Equal(t, "7", c.verdict(t).Claim)
	require.Contains(t, c.out.String(), "\nclaim: 7\n")

	state.Actions = append([]workflows.Action(nil), state.Actions...)
	state.Actions[1].Doubt = &workflows.Doubt{Token: 8, Target: "bank/tell", SentAt: noon}
	c = at(keys(startAgent(t, mine)), doubt, seen(state))
	require.ErrorContains(t, c.resolve(t.Context(), "acme/x", found, proofFlags{}), "nothing was sent", "it was sent once more meanwhile")
	require.Empty(t, c.sent)
}

func TestStatementPrintsTheBytesAndNothingElse(t *testing.T) {
	run := waiting(t, "r1", terms(approvals.BySignature), samplePlan())
	read := func(context.Context, string) (*runs.Run, error) { return run, nil }
	say := decision{choice: approvals.Approve, as: mei, comment: "checked"}
	var out, aside bytes.Buffer
	require.NoError(t, printStatement(t.Context(), read, "acme/x", say, &out, &aside))
	w, err := say.about(run)
	require.NoError(t, err)
	require.Equal(t, string(w.statement), out.String())
	require.True(t, strings.HasPrefix(out.String(), "holdpoint decision v1\nrun: acme/x\n"))
	require.Empty(t, aside.String())

	say.action = "pay"
	require.NoError(t, printStatement(t.Context(), read, "acme/x", say, new(bytes.Buffer), &aside))
	require.Contains(t, aside.String(), "pay does not wait")
	run.State.Request = nil
	require.ErrorContains(t, printStatement(t.Context(), read, "acme/x", say, &out, &aside), "nothing to sign")
}

// One revision too many would end the run, and with it what others have read.
func TestReviseBeyondTheLastIsNotSent(t *testing.T) {
	revise := decision{choice: approvals.Revise, as: mei, feedback: "shorter", yes: true}
	for returns, refused := range map[int]bool{workflows.MaxReturns - 1: false, workflows.MaxReturns: true} {
		run := waiting(t, "r1", terms(approvals.ByClaim), samplePlan())
		run.State.Revision = returns
		_, err := revise.about(run)
		if !refused {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "has gone back to planning 10 times, and once more would fail it: approve or reject this plan")
		_, err = decision{choice: approvals.Approve, as: mei}.about(run)
		require.NoError(t, err)
	}
}

// Before the gate opens there is nothing to decide on, and a way to wait for it.
func TestDecidingBeforeTheGateOpens(t *testing.T) {
	for name, spoil := range map[string]func(*workflows.State){
		"no plan yet":   func(s *workflows.State) { s.Plan, s.Actions = nil, nil },
		"not asked yet": func(s *workflows.State) { s.Gate = approvals.Request{Requester: ann} },
	} {
		t.Run(name, func(t *testing.T) {
			state := waiting(t, "r1", terms(approvals.ByClaim), samplePlan()).State
			state.Status = workflows.Running
			spoil(&state)
			c := at(keys(""), seen(state))
			err := c.decide(t.Context(), "acme/x", approval(mei, proofFlags{}), false)
			require.ErrorContains(t, err, "starter watch acme/x --until WAITING_APPROVAL")
			require.Empty(t, c.sent)
		})
	}
}

// Verdicts name the members of a decision; who uses this program has flags.
func TestRefusalsNameTheFlag(t *testing.T) {
	ts := terms(approvals.ByClaim)
	ts.Confirm = []string{"pay"}
	state := granted(t, waiting(t, "r1", ts, samplePlan())).State
	state.Actions[0].Unconfirmed = true
	for _, choice := range []approvals.Choice{approvals.Approve, approvals.Reject} {
		c := at(keys(""), seen(state))
		say := approval(mei, proofFlags{})
		say.choice = choice
		require.NoError(t, c.decide(t.Context(), "acme/x", say, false))
		reason := byFlag(c.verdict(t).Reason)
		require.Contains(t, reason, "by --action pay")
		require.NotContains(t, reason, "action_id")
	}
}

func TestAcceptedSaysWhatIsStillMissing(t *testing.T) {
	v := approvals.Verdict{
		Code: approvals.Accepted, Decision: approvals.Approve, Approver: mei, Missing: "1 of security",
		Proven: approvals.Proven{Proof: approvals.BySignature, Key: "SHA256:abc"},
	}
	require.Equal(t, "accepted: approve of acme/x by "+mei+", signed with SHA256:abc; 1 of security must still approve\nnext: starter watch acme/x\n",
		accepted("acme/x", v))
	v = approvals.Verdict{
		Code: approvals.Accepted, Decision: approvals.Reject, ActionID: "pay", Approver: mei, Proven: approvals.Proven{Proof: approvals.ByClaim},
	}
	require.Contains(t, accepted("acme/x", v), "reject of action pay of acme/x")
}
