package scene

import (
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/internal/evidence/gather"
	"github.com/holdpoint/holdpoint/internal/runs"
)

// evidenceFits wants evidence that verifies of the run as it ended, and as it was
// whenever somebody may have exported it, or ended it from outside: after each kind
// of event, where it first came.
func (r *Run) evidenceFits() {
	r.stage.t.Helper()
	chain, err := r.stage.reader.Chain(r.stage.t.Context(), r.ID, "")
	r.stage.require.NoError(err)
	keys, err := allowedSigners(Cast())
	r.stage.require.NoError(err)
	signers, err := signature.ParseAllowedSigners(keys)
	r.stage.require.NoError(err)
	whole := chain[len(chain)-1].History.GetEvents()
	for _, n := range moments(whole) {
		histories := [][]*historypb.HistoryEvent{whole[:n]}
		if n < len(whole) {
			histories = append(histories, terminated(whole[:n]))
		}
		for _, events := range histories {
			problems := r.verify(chain, events, signers)
			r.stage.require.Empty(problems, "the evidence of %s at event %d of %d, %s", r.ID, n, len(whole), events[len(events)-1].GetEventType())
		}
	}
}

// verify makes a bundle of a run whose last execution has these events.
func (r *Run) verify(chain []runs.Execution, events []*historypb.HistoryEvent, signers signature.AllowedSigners) []string {
	chain = slices.Clone(chain)
	chain[len(chain)-1].History = &historypb.History{Events: events}
	content, err := gather.Content(chain, func(_ string, d plan.Digest, limit int64) ([]byte, error) {
		return r.stage.blobs.Get(r.stage.t.Context(), r.tenant(), d, limit)
	})
	if err != nil {
		return []string{err.Error()}
	}
	bundle, err := evidence.New(content)
	if err != nil {
		return []string{err.Error()}
	}
	return evidence.Verify(bundle, evidence.Options{Signers: signers}).Problems
}

// moments are the lengths of the beginnings of a history that are worth looking at:
// where the last event, or the last workflow task with all its commands, is the
// first of its kind; and the whole.
func moments(events []*historypb.HistoryEvent) []int {
	var lengths []int
	seen := map[string]bool{}
	names := map[int64]string{} // of activities, by the event that scheduled them
	for begin := 0; begin < len(events); {
		end := begin + 1
		if events[begin].GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			for end < len(events) && gather.OfCommand(events[end]) {
				end++
			}
		}
		var kind strings.Builder
		for _, e := range events[begin:end] {
			names[e.GetEventId()] = e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName()
			fmt.Fprintf(&kind, "%s %s,", e.GetEventType(), names[scheduling(e)])
		}
		// That a workflow task is due says nothing new.
		due := events[begin].GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED
		if !due && !seen[kind.String()] || end == len(events) {
			seen[kind.String()] = true
			lengths = append(lengths, end)
		}
		begin = end
	}
	return lengths
}

// scheduling is the event that scheduled the activity of which an event tells.
func scheduling(e *historypb.HistoryEvent) int64 {
	switch e.GetEventType() {
	case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		return e.GetEventId()
	case enums.EVENT_TYPE_ACTIVITY_TASK_STARTED:
		return e.GetActivityTaskStartedEventAttributes().GetScheduledEventId()
	case enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		return e.GetActivityTaskCompletedEventAttributes().GetScheduledEventId()
	case enums.EVENT_TYPE_ACTIVITY_TASK_FAILED:
		return e.GetActivityTaskFailedEventAttributes().GetScheduledEventId()
	default:
		return 0
	}
}

// terminated is a history that somebody ended there.
func terminated(events []*historypb.HistoryEvent) []*historypb.HistoryEvent {
	last := events[len(events)-1]
	return append(slices.Clone(events), &historypb.HistoryEvent{
		EventId: last.GetEventId() + 1, EventTime: timestamppb.New(last.GetEventTime().AsTime()),
		EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
		Attributes: &historypb.HistoryEvent_WorkflowExecutionTerminatedEventAttributes{
			WorkflowExecutionTerminatedEventAttributes: &historypb.WorkflowExecutionTerminatedEventAttributes{Reason: "a scene"},
		},
	})
}
