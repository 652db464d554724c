package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// hostile stands in every text that somebody else may have written.
const hostile = "\x1b]0;owned\a\x1b[2J\r\u202e\u009b31m\nlie"

func hostileRun() *runs.Run {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	failed := workflows.Action{ID: "a" + hostile, Status: workflows.StepFailed, Error: hostile}
	done := workflows.Action{ID: "b" + hostile, Status: workflows.StepCompleted, Ref: hostile}
	already := workflows.Action{ID: "c" + hostile, Status: workflows.StepCompleted, Ref: hostile, Already: true}
	return &runs.Run{
		ID: "acme/x", TaskQueue: "queue" + hostile,
		Pending: []runs.Pending{{Activity: "execute_action a" + hostile, Attempt: 2, Failure: hostile}},
		Status: workflows.Status{
			RunID: "acme/x" + hostile, Status: workflows.WaitingApproval, Reason: "rejected by bo: " + hostile,
			PlanHash: plan.Sum([]byte("plan")), Approvers: []string{"bo" + hostile}, Approver: "bo.lin", DecideBy: &at,
			Asks: hostile, Missing: hostile, Proof: approvals.ByClaim,
			Approval: &approvals.Grant{
				Approvals:     []approvals.Approval{{Approver: "bo" + hostile, Groups: hostile}},
				Confirmations: []approvals.Confirmation{{ActionID: hostile, Approval: approvals.Approval{Approver: hostile}}},
			},
			Notices: []workflows.NoticeRow{{Event: workflows.ApprovalRequested, Channel: hostile, Waiting: []string{hostile}, Status: workflows.StepFailed, Error: hostile}},
			Steps:   []workflows.Step{{Name: workflows.ExecuteAction, Status: workflows.StepFailed, Error: hostile}},
			Actions: []workflows.Action{failed, done, already, {ID: hostile, Status: workflows.StepPending, Unconfirmed: true}},
			Decisions: workflows.Decisions{Recent: []approvals.Verdict{
				{Code: approvals.NotAnApprover, Decision: approvals.Approve, Approver: hostile, Reason: hostile},
				{Code: approvals.Accepted, Decision: approvals.Approve, ActionID: hostile, Approver: hostile, Missing: hostile},
			}},
		},
	}
}

// Nothing that others wrote draws on the screen, or makes a line of its own.
func TestNothingHostileReachesTheScreen(t *testing.T) {
	screens := map[string]func(out *bytes.Buffer){
		"status": func(out *bytes.Buffer) { printStatus(out, hostileRun()) },
		"watch": func(out *bytes.Buffer) {
			(&watcher{out: out, shown: map[string]bool{}}).show(hostileRun())
		},
		"list": func(out *bytes.Buffer) {
			require.NoError(t, printList(out, []runs.Listed{{ID: "acme/x" + hostile, Status: hostile, Risk: hostile}}))
		},
	}
	for name, screen := range screens {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			screen(&out)
			require.Contains(t, out.String(), `\u{001B}]0;owned`)
			for line := range strings.Lines(out.String()) {
				require.False(t, strings.HasPrefix(line, "lie"), "%q", line)
			}
			for _, c := range out.String() {
				require.False(t, c < ' ' && c != '\n' || c >= 0x7f && c < 0xa0 || c == '\u202e', "%q in %q", c, out.String())
			}
		})
	}
}

// script answers a watcher, look by look, and records how long it waited.
type script struct {
	looks []func() (*runs.Run, error)
	waits []time.Duration
}

func (s *script) read(context.Context, string) (*runs.Run, error) {
	look := s.looks[0]
	s.looks = s.looks[1:]
	return look()
}

func (s *script) wait(d time.Duration) <-chan time.Time {
	s.waits = append(s.waits, d)
	now := make(chan time.Time, 1)
	now <- time.Time{}
	return now
}

func is(status workflows.RunStatus) func() (*runs.Run, error) {
	return func() (*runs.Run, error) {
		return &runs.Run{
			ID: "acme/x", Pollers: 1, Closed: status.Ended(),
			Status: workflows.Status{RunID: "acme/x", Status: status, Reason: "the reason"},
		}, nil
	}
}

func away() (*runs.Run, error) { return nil, serviceerror.NewUnavailable("the server restarts") }

func TestWatchOutlivesAServerThatIsAway(t *testing.T) {
	s := &script{looks: []func() (*runs.Run, error){is(workflows.Running), away, away, is(workflows.Running), away, is(workflows.Completed)}}
	var out bytes.Buffer
	w := watcher{read: s.read, wait: s.wait, out: &out}
	require.NoError(t, w.watch(t.Context(), "acme/x"))
	require.Equal(t, "the server does not answer; still trying\nCOMPLETED: the reason\n", out.String())
}

func TestWatchEnds(t *testing.T) {
	denied := serviceerror.NewPermissionDenied("not yours", "")
	for name, c := range map[string]struct {
		look func() (*runs.Run, error)
		says string
	}{
		"not completed": {is(workflows.Rejected), "run acme/x ended REJECTED: the reason"},
		"no such run":   {func() (*runs.Run, error) { return nil, runs.ErrNotFound }, "no such run"},
		"not allowed":   {func() (*runs.Run, error) { return nil, denied }, "not yours"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{looks: []func() (*runs.Run, error){c.look}}
			w := watcher{read: s.read, wait: s.wait, out: new(bytes.Buffer)}
			require.ErrorContains(t, w.watch(t.Context(), "acme/x"), c.says)
		})
	}
	s := &script{looks: []func() (*runs.Run, error){is(workflows.WaitingApproval)}}
	w := watcher{read: s.read, wait: s.wait, out: new(bytes.Buffer), until: workflows.WaitingApproval}
	require.NoError(t, w.watch(t.Context(), "acme/x"), "what it was to wait for")
}

// A night at the gate is not five questions a second.
func TestWatchLooksLessOftenWhileNothingChanges(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		s := &script{}
		for range 8 {
			s.looks = append(s.looks, is(workflows.WaitingApproval))
		}
		s.looks = append(s.looks, is(workflows.Running))
		atGate, _ := is(workflows.Completed)()
		atGate.Closed, atGate.Status.Status, atGate.Status.Reason = false, workflows.WaitingApproval, "another plan"
		s.looks = append(s.looks, func() (*runs.Run, error) { return atGate, nil }, is(workflows.Completed))
		w := watcher{read: s.read, wait: s.wait, out: new(bytes.Buffer), json: asJSON}
		require.NoError(t, w.watch(t.Context(), "acme/x"))
		require.Equal(t, soonest, s.waits[0], "it has just come to the gate")
		for i := 1; i < 8; i++ {
			require.GreaterOrEqual(t, s.waits[i], s.waits[i-1])
		}
		require.Equal(t, latest, s.waits[7])
		require.Equal(t, soonest, s.waits[9], "something happened")
	}
}

// collecting is a run whose collection is so far.
func collecting(done int) func() (*runs.Run, error) {
	return func() (*runs.Run, error) {
		run, err := is(workflows.Running)()
		run.Pending = []runs.Pending{{Activity: "collect_context", Attempt: 1, Progress: &workflows.CollectProgress{
			Listing: workflows.BlobRef{Digest: plan.Sum(nil)}, Entries: 5000, Done: done, Skipped: 3, Bytes: 12e6,
		}}}
		return run, err
	}
}

func TestWatchSaysHowFarACollectionIs(t *testing.T) {
	s := &script{}
	const looks = 30
	for i := range looks {
		s.looks = append(s.looks, collecting(100*i))
	}
	s.looks = append(s.looks, is(workflows.Completed))
	var out bytes.Buffer
	w := watcher{read: s.read, wait: s.wait, out: &out}
	require.NoError(t, w.watch(t.Context(), "acme/x"))
	var lines []string
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "collect_context: ") {
			lines = append(lines, line)
			require.Regexp(t, `^collect_context: [0-9,]+ of 5,000 files, 3 skipped, 12 MB\n$`, line)
		}
	}
	var watched time.Duration
	for _, d := range s.waits {
		watched += d
	}
	require.GreaterOrEqual(t, len(lines), 2)
	require.LessOrEqual(t, len(lines), int(watched/progressEvery))
	require.Equal(t, latest, s.waits[looks-1], "it looks no more often for it")
}

// What is over soon is not worth a line.
func TestWatchSaysNothingOfAShortCollection(t *testing.T) {
	s := &script{looks: []func() (*runs.Run, error){collecting(1), collecting(2), is(workflows.Completed)}}
	var out bytes.Buffer
	w := watcher{read: s.read, wait: s.wait, out: &out}
	require.NoError(t, w.watch(t.Context(), "acme/x"))
	require.NotContains(t, out.String(), "collect_context: ")
}

func TestStatusSaysHowFarACollectionIs(t *testing.T) {
	run, err := collecting(1200)()
	require.NoError(t, err)
	var out bytes.Buffer
	printStatus(&out, run)
	require.Contains(t, out.String(), "progress   collect_context: 1,200 of 5,000 files, 3 skipped, 12 MB\n")
	require.Equal(t, "collect_context: 1 file listed so far", howFar(workflows.CollectProgress{Entries: 1}))
}

// The plan's deadline is over for an action that waits for a word of its own.
func TestListShowsWhatIsAwaited(t *testing.T) {
	plans, actions := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	require.NoError(t, printList(&out, []runs.Listed{
		{ID: "acme/plan", Status: workflows.WaitingApproval, DecideBy: &plans},
		{ID: "acme/action", Status: workflows.WaitingApproval, DecideBy: &plans, Confirm: []string{"mail"}, ConfirmBy: &actions},
		{ID: "acme/over", Status: workflows.Completed, DecideBy: &plans},
	}))
	lines := strings.Split(out.String(), "\n")
	require.Regexp(t, `^acme/plan .* 2026-11-30T09:00:00Z$`, lines[1])
	require.Regexp(t, `^acme/action .* 2026-12-01T09:00:00Z$`, lines[2])
	require.NotContains(t, lines[3], "2026-11-30")
}
