package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// hostile stands in every text that somebody else may have written.
const hostile = "\x1b]0;owned\a\x1b[2J\r\u202e\u009b31m\u200b\U000E0041\nlie"

// hostileRun has it in all that the screen of a run shows, beside what only
// this program and the policy's own rules can write.
func hostileRun(t *testing.T) (*runs.Run, plan.Plan) {
	t.Helper()
	p := samplePlan()
	p.Goal = hostile
	p.Actions[0].Target, p.Actions[0].Preview = "bank/"+hostile, hostile
	p.Actions[1].Parameters = json.RawMessage(`{"note":"` + "\u202e\u200b" + `"}`)
	ts := terms(approvals.ByClaim)
	ts.Label, ts.Version, ts.Confirm = hostile, hostile, []string{hostile}
	ts.Quorums[0].Group, ts.Reasons[0].Rule, ts.Reasons[0].Asks = hostile, hostile, hostile
	state := granted(t, waiting(t, hostile, ts, p)).State
	state.Status, state.Reason = workflows.WaitingApproval, hostile
	state.Grant.Approvals[0].Comment, state.Grant.Approvals[0].Groups = hostile, hostile
	state.Actions[0].ID, state.Actions[0].Unconfirmed = "pay"+hostile, true
	state.Actions[1].Status = workflows.StepInDoubt
	state.Actions[1].Doubt = &workflows.Doubt{Target: hostile, Detail: hostile, SentAt: noon}
	run := seen(state)
	run.ID = "acme/x" + hostile
	return run, p
}

func TestNothingHostileReachesTheScreen(t *testing.T) {
	screens := map[string]func(out *bytes.Buffer){
		"list": func(out *bytes.Buffer) {
			listed := []runs.Listed{{
				ID: "acme/x" + hostile, Risk: hostile, PlanHash: hostile, Status: workflows.WaitingApproval, Confirm: []string{hostile},
			}}
			require.NoError(t, new(session).printList(out, listed))
		},
		"show": func(out *bytes.Buffer) {
			run, p := hostileRun(t)
			require.NoError(t, show(out, run, p))
			showNext(out, run)
		},
		"next": func(out *bytes.Buffer) {
			run := waiting(t, "r1", terms(approvals.BySignature), samplePlan())
			run.ID = "acme/x" + hostile
			showNext(out, run)
		},
		"statement": func(out *bytes.Buffer) {
			run, _ := hostileRun(t)
			w, err := decision{choice: approvals.Approve, as: mei, comment: hostile}.about(run)
			require.NoError(t, err)
			desk{out: out}.showStatement(w, nil)
			w.refused = hostile
			desk{out: out}.showStatement(w, nil)
			desk{out: out}.showStatement(w, &signer{how: hostile, note: hostile})
		},
		"verdict": func(out *bytes.Buffer) {
			out.WriteString(accepted("acme/x"+hostile, approvals.Verdict{Approver: hostile, ActionID: hostile, Missing: hostile}))
		},
	}
	for name, screen := range screens {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			screen(&out)
			require.Contains(t, out.String(), `\u{001B}]0;owned`)
			for line := range strings.Lines(out.String()) {
				require.False(t, strings.HasPrefix(strings.TrimSpace(line), "lie"), "%q", line)
			}
			for _, c := range out.String() {
				hidden := c < ' ' && c != '\n' || c >= 0x7f && c < 0xa0 || c == '\u202e' || c == '\u200b' || c == '\U000E0041'
				require.False(t, hidden, "%q in %q", c, out.String())
			}
		})
	}
}

// A long value is shown to its last letter: the part that is left out is where
// the surprise would be.
func TestLongParametersAreShownWhole(t *testing.T) {
	p := samplePlan()
	long := strings.Repeat("0123456789", 10_000)
	p.Actions[0].Parameters = json.RawMessage(`{"a":"` + long + `","z":"THE-END"}`)
	p.Actions[1].Preview = long + "\u200bTHE-END"
	run := waiting(t, "r1", terms(approvals.ByClaim), p)
	loaded, err := new(session).plan(t.Context(), run)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, show(&out, run, loaded))
	shown := strings.ReplaceAll(out.String(), "\n   ┆ ", "") // where the page's width breaks a line
	require.Equal(t, 2, strings.Count(shown, long))
	require.Contains(t, shown, long+`","z":"THE-END"}`)
	require.Contains(t, shown, long+`\u{200B}THE-END`)
}

func TestShowSaysWhoMustStillApprove(t *testing.T) {
	ts := terms(approvals.BySignature)
	ts.Confirm, ts.AskAgain = []string{"pay"}, 2
	run := waiting(t, "r1", ts, samplePlan())
	state := run.State
	v := approvals.Verdict{
		Code: approvals.Accepted, Decision: approvals.Approve, Approver: bo, PlanHash: state.Plan.PlanHash.String(), At: noon,
		Proven: approvals.Proven{Proof: approvals.BySignature, Key: "SHA256:abc"},
	}
	state.Take(&v)
	var out bytes.Buffer
	run = seen(state)
	require.NoError(t, show(&out, run, samplePlan()))
	showNext(&out, run)
	for _, text := range []string{
		"   policy       acme-changes@sha256:01\n",
		"   asks         1 of editors and 1 of security\n",
		"   because      payments, of 1 action: 1 of editors and 1 of security\n",
		"   group        security: " + bo + ", " + cy + "\n",
		"   proof        signature",
		"   time         4h to decide; then it is asked again, 0 of 2 times so far\n",
		"   grant life   1h from the last approval on\n",
		"word of its own: \n              ┆ pay\n",
		"   approved     " + bo + ", 2026-12-01T12:00:00Z, signed with SHA256:abc\n",
		"   missing      1 of editors\n",
		"   who may      " + mei + "\n",
		"   decide by    2026-12-01T16:00:00Z\n",
		"  approver approve acme/x --as " + mei + "\n",
		"  ssh-keygen -Y sign -n holdpoint -f KEY s.txt\n",
	} {
		require.Contains(t, out.String(), text)
	}
	require.NotContains(t, out.String(), "temporal workflow signal", "a claim would be refused")
}

func TestShowSaysHowToLetOneActionGoAndHowToResolve(t *testing.T) {
	ts := terms(approvals.ByClaim)
	ts.Confirm = []string{"pay"}
	state := granted(t, waiting(t, "r1", ts, samplePlan())).State
	state.Status = workflows.WaitingApproval
	state.Actions[0].Unconfirmed = true
	state.Actions[1].Status = workflows.StepInDoubt
	state.Actions[1].Doubt = &workflows.Doubt{Target: "bank/tell", SentAt: noon, Detail: "no answer"}
	var out bytes.Buffer
	run := seen(state)
	require.NoError(t, show(&out, run, samplePlan()))
	showNext(&out, run)
	for _, text := range []string{
		"   unconfirmed  pay: ",
		"  approver approve acme/x --action pay --as " + bo + "\n",
		"   in doubt     tell, sent to bank/tell since 2026-12-01T12:00:00Z: no answer\n",
		"  approver resolve acme/x tell happened|not_happened|abort --as " + bo + " --evidence '…'\n",
		"   granted      2026-12-01T12:00:00Z, by " + mei + ", \n              ┆ " + bo + ", until 2026-12-01T13:00:00Z\n",
	} {
		require.Contains(t, out.String(), text)
	}
	require.NotContains(t, out.String(), "to approve, as one")
}

// That something did not happen is said, and not recorded yet: whoever knows
// better finds out how to take it back, and signs a word about the same claim.
func TestAWordThatCanBeTakenBackIsShownAndSigned(t *testing.T) {
	state := granted(t, waiting(t, "r1", terms(approvals.ByClaim), samplePlan())).State
	state.Status = workflows.WaitingResolution
	quiet := noon.Add(time.Hour)
	state.Actions[1].Status = workflows.StepInDoubt
	state.Actions[1].Doubt = &workflows.Doubt{Token: 7, Target: "bank/tell", SentAt: noon, Detail: "no answer", QuietUntil: &quiet}
	state.Actions[1].Resolution = &workflows.Resolved{Outcome: approvals.NotHappened, Operator: bo, Claim: "7", Applied: true}
	run := seen(state)
	var out, aside bytes.Buffer
	require.NoError(t, show(&out, run, samplePlan()))
	showNext(&out, run)
	require.Contains(t, out.String(), "   in doubt     tell, sent to bank/tell since 2026-12-01T12:00:00Z: no answer\n")
	require.Contains(t, out.String(), "  approver resolve acme/x tell happened|not_happened|abort --as "+bo+" --evidence '…'\n")

	out.Reset()
	read := func(context.Context, string) (*runs.Run, error) { return run, nil }
	better := finding{action: "tell", outcome: "happened", as: cy, evidence: "it is in the log"}
	require.NoError(t, printStatement(t.Context(), read, "acme/x", better, &out, &aside))
	require.Contains(t, out.String(), "\naction: tell\nclaim: 7\noutcome: happened\n")
	require.Empty(t, aside.String(), "the run still waits for it")

	state.Actions = slices.Clone(state.Actions)
	state.Actions[1].Status, state.Actions[1].Doubt = workflows.StepPending, nil
	run = seen(state)
	out.Reset()
	require.NoError(t, show(&out, run, samplePlan()))
	showNext(&out, run)
	require.NotContains(t, out.String(), "approver resolve")
	require.NoError(t, printStatement(t.Context(), read, "acme/x", better, &out, &aside))
	require.Contains(t, aside.String(), "tell is not in doubt now")
}

// What waits for a word about one action does so as long as the approval holds.
func TestListSaysWhatARunWaitsFor(t *testing.T) {
	ends := noon.Add(8 * time.Hour)
	for name, tc := range map[string]struct {
		listed runs.Listed
		want   string
	}{
		"the plan":     {runs.Listed{Status: workflows.WaitingApproval, DecideBy: &until}, "approval 2026-12-01T16:00:00Z"},
		"one action":   {runs.Listed{Status: workflows.WaitingApproval, DecideBy: &until, Confirm: []string{"pay"}, ConfirmBy: &ends}, "confirmation of pay 2026-12-01T20:00:00Z"},
		"some actions": {runs.Listed{Status: workflows.WaitingApproval, Confirm: []string{"pay", "b", "c"}, ConfirmBy: &ends}, "confirmation of pay and 2 more 2026-12-01T20:00:00Z"},
		"a resolution": {runs.Listed{Status: workflows.WaitingResolution, DecideBy: &until}, "resolution"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.listed.ID = "acme/x"
			var out bytes.Buffer
			require.NoError(t, new(session).printList(&out, []runs.Listed{tc.listed}))
			lines := strings.Split(out.String(), "\n")
			require.Equal(t, "acme/x "+tc.want, strings.Join(strings.Fields(lines[1]), " "))
		})
	}
}

// The command that is shown is one that works, also for an id that a shell
// would take apart.
func TestShowNamesOneWhoMayApprove(t *testing.T) {
	ts := terms(approvals.ByClaim)
	ts.Quorums = []approvals.Quorum{{Group: "approvers", Need: 1, Members: []string{ann, bo}}}
	run := waiting(t, "r1", ts, samplePlan())
	run.ID = "acme/x; rm -rf $HOME"
	var out bytes.Buffer
	showNext(&out, run)
	require.Contains(t, out.String(), `"approver":"`+bo+`"`)
	require.Contains(t, out.String(), "approver approve 'acme/x; rm -rf $HOME' --as "+bo+"\n")
	require.NotContains(t, out.String(), ann, "the requester may not")
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		4 * time.Hour: "4h", 90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", 10 * time.Minute: "10m",
		30 * time.Second: "30s", 24*time.Hour + 5*time.Second: "24h0m5s", 20 * time.Hour: "20h",
	} {
		require.Equal(t, want, span(d))
	}
}

// Whatever a run has to say fits the narrowest terminal, but for what is copied
// in one piece: commands and digests.
func TestShowFitsATerminal(t *testing.T) {
	const width = 80
	ts := terms(approvals.BySignature)
	ts.Version = strings.Repeat("label", 30) + "@sha256:01"
	ts.Confirm = slices.Repeat([]string{"pay", "tell"}, 20)
	ts.Quorums[0].Members = slices.Repeat([]string{mei}, 20)
	ts.Reasons[0].Rule = strings.Repeat("rule", 40)
	p := samplePlan()
	p.Goal, p.Notes = strings.Repeat("goal ", 60), []string{strings.Repeat("n", 300)}
	for name, run := range map[string]*runs.Run{"waiting": waiting(t, "r1", ts, p), "granted": granted(t, waiting(t, "r1", ts, p))} {
		run.Status.Reason = strings.Repeat("because ", 60)
		run.State.Actions[1].Status, run.State.Actions[1].Unconfirmed = workflows.StepInDoubt, true
		run.State.Actions[1].Doubt = &workflows.Doubt{Target: "bank/tell", SentAt: noon, Detail: strings.Repeat("detail ", 60)}
		var out bytes.Buffer
		require.NoError(t, show(&out, run, p))
		showNext(&out, run)
		require.Contains(t, out.String(), "   reason       because")
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			command := strings.HasPrefix(line, "  approver ") || strings.HasPrefix(line, "  ssh-keygen ")
			digest := strings.HasPrefix(line, "   schema  ") || strings.HasPrefix(line, "   context  ")
			if !command && !digest {
				require.LessOrEqual(t, utf8.RuneCountInString(line), width, "%s: %s", name, line)
			}
		}
	}
}

// One run with a long name must not push those of all others out of sight.
func TestALongNameStandsOnALineOfItsOwn(t *testing.T) {
	long := "acme/" + strings.Repeat("x", 150)
	listed := []runs.Listed{
		{ID: "acme/a", Status: workflows.WaitingApproval, DecideBy: &until, PlanHash: "sha256:01"},
		{ID: long, Status: workflows.WaitingResolution, PlanHash: "sha256:02"},
		{ID: "acme/b", Status: workflows.WaitingResolution, PlanHash: "sha256:03"},
	}
	var out bytes.Buffer
	require.NoError(t, new(session).printList(&out, listed))
	require.Equal(t, []string{
		"RUN     WAITS FOR   RISK  DECIDE BY             PLAN",
		"acme/a  approval          2026-12-01T16:00:00Z  sha256:01",
		long,
		"        resolution                              sha256:02",
		"acme/b  resolution                              sha256:03", "",
	}, strings.Split(out.String(), "\n"))
}

// What looks like nothing, or like something else, is shown as what it is; so is
// what would take digits to another place.
func TestShowHidesNoBlank(t *testing.T) {
	p := samplePlan()
	p.Goal = "10\u2009000\u2800EUR a\u00a0b \u3000|\u200a|x\u0336y\u0336 \u05d0 100 200 \u05d1 e\u0301"
	run := waiting(t, "r1", terms(approvals.ByClaim), p)
	var out bytes.Buffer
	require.NoError(t, show(&out, run, p))
	shown := strings.ReplaceAll(out.String(), "\n              ┆ ", "")
	require.Contains(t, shown,
		`   goal         10\u{2009}000\u{2800}EUR a\u{00A0}b \u{3000}|\u{200A}|x\u{0336}y\u{0336} \u{05D0} 100 200 \u{05D1} e`+"\u0301\n")
}
