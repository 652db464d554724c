package e2e

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// status is what `starter status` says.
func (s *site) status(run string) workflows.Status {
	s.t.Helper()
	var status workflows.Status
	require.NoError(s.t, json.Unmarshal([]byte(s.starter("status", "-o", "json", run)), &status))
	return status
}

// look is `starter status` without the process: the waits below look many
// times, and a process for each look would cost more than the product. It
// returns nil while the server does not answer.
func (s *site) look(run string) *runs.Run {
	seen, err := s.reader.Read(s.t.Context(), run)
	if err != nil {
		return nil
	}
	return seen
}

// await waits until a run has a status, and fails when it ends otherwise.
func (s *site) await(run string, want workflows.RunStatus) workflows.Status {
	s.t.Helper()
	s.eventually(run+" is "+string(want), func() bool {
		seen := s.look(run)
		if seen == nil {
			return false
		}
		now := seen.Status
		if now.Status != want && now.Status.Ended() {
			s.t.Fatalf("%s ended %s: %s", run, now.Status, now.Reason)
		}
		return now.Status == want && (seen.Closed || !want.Ended())
	})
	return s.status(run)
}

// awaitNewPlan waits until the run stands at the gate with another plan.
func (s *site) awaitNewPlan(run string, before workflows.Status) workflows.Status {
	s.t.Helper()
	s.eventually("a new plan of "+run+" waits", func() bool {
		seen := s.look(run)
		return seen != nil && seen.Status.Status == workflows.WaitingApproval && seen.Status.PlanHash != before.PlanHash
	})
	return s.status(run)
}

// awaitVerdicts waits until so many decisions have been judged.
func (s *site) awaitVerdicts(run string, n int) []approvals.Verdict {
	s.t.Helper()
	var verdicts []approvals.Verdict
	s.eventually(strconv.Itoa(n)+" verdicts of "+run, func() bool {
		if seen := s.look(run); seen != nil {
			verdicts = seen.Status.Decisions.Recent
		}
		return len(verdicts) >= n
	})
	require.Len(s.t, verdicts, n)
	return verdicts
}

// signal sends a decision by the plain temporal CLI.
func (s *site) signal(run, payload string) {
	s.t.Helper()
	s.signalWith(run, "--input", payload)
}

func (s *site) signalWith(run string, flags ...string) {
	s.t.Helper()
	s.temporal(append([]string{"workflow", "signal", "--workflow-id", run, "--name", "approval"}, flags...)...)
}

// approve approves the plan that the run has now, by the plain temporal CLI.
func (s *site) approve(run, as string) {
	s.t.Helper()
	s.signal(run, decisionJSON("approve", s.status(run).PlanHash.String(), as))
}

func decisionJSON(decision, hash, approver string) string {
	raw, err := json.Marshal(map[string]string{"decision": decision, "plan_hash": hash, "approver": approver})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// step returns a row of the step table.
func step(s workflows.Status, name workflows.StepName) workflows.Step {
	for _, row := range s.Steps {
		if row.Name == name {
			return row
		}
	}
	return workflows.Step{}
}

// saveHistory writes a run's history to a file, by the plain temporal CLI.
func (s *site) saveHistory(run string) (file string) {
	s.t.Helper()
	saved, err := os.CreateTemp(s.dir, "history-*.json")
	require.NoError(s.t, err)
	defer saved.Close()
	_, err = saved.WriteString(s.temporal("workflow", "show", "--workflow-id", run, "-o", "json"))
	require.NoError(s.t, err)
	return saved.Name()
}

// history returns a run's events, read from a saved history.
func (s *site) history(run string) []*historypb.HistoryEvent {
	s.t.Helper()
	saved, err := os.Open(s.saveHistory(run))
	require.NoError(s.t, err)
	defer saved.Close()
	history, err := client.HistoryFromJSON(saved, client.HistoryJSONOptions{})
	require.NoError(s.t, err)
	return history.GetEvents()
}

// scheduled counts how often a step's activity was scheduled.
func scheduled(events []*historypb.HistoryEvent, name workflows.StepName) int {
	n := 0
	for _, e := range events {
		if e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == string(name) {
			n++
		}
	}
	return n
}

// holds reports whether a text stands anywhere in an event: an event's
// serialized form has the bytes of its payloads as they are.
func holds(s *site, event *historypb.HistoryEvent, text string) bool {
	s.t.Helper()
	raw, err := proto.Marshal(event)
	require.NoError(s.t, err)
	return strings.Contains(string(raw), text)
}

// awaitEvent waits until the server has written an event of that type, which
// needs no worker.
func (s *site) awaitEvent(run string, want enums.EventType) {
	s.t.Helper()
	s.eventually(want.String(), func() bool {
		events := s.reader.Client.GetWorkflowHistory(s.t.Context(), run, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				return false
			}
			if event.GetEventType() == want {
				return true
			}
		}
		return false
	})
}

// awaitAttempt waits until an activity of the run is in a worker's hands.
func (s *site) awaitAttempt(run string) {
	s.t.Helper()
	s.eventually("an attempt is under way", func() bool {
		described, err := s.reader.Client.DescribeWorkflow(s.t.Context(), run, "")
		if err != nil {
			return false
		}
		pending := described.RawResponse.GetPendingActivities()
		return len(pending) > 0 && pending[0].GetState() == enums.PENDING_ACTIVITY_STATE_STARTED
	})
}

// activityOf is the step whose activity an event scheduled.
func activityOf(events []*historypb.HistoryEvent, scheduledEvent int64) workflows.StepName {
	return workflows.StepName(events[scheduledEvent-1].GetActivityTaskScheduledEventAttributes().GetActivityType().GetName())
}
