package gather

import (
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	updatepb "go.temporal.io/api/update/v1"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// admitted is an update that a reset tells again, and accepted one that the workflow
// accepts, whose event has its request or, after an admission, none.
func admitted(request *updatepb.Request) *historypb.HistoryEvent {
	return &historypb.HistoryEvent{Attributes: &historypb.HistoryEvent_WorkflowExecutionUpdateAdmittedEventAttributes{
		WorkflowExecutionUpdateAdmittedEventAttributes: &historypb.WorkflowExecutionUpdateAdmittedEventAttributes{Request: request},
	}}
}

func accepted(id string, request *updatepb.Request) *historypb.HistoryEvent {
	return &historypb.HistoryEvent{Attributes: &historypb.HistoryEvent_WorkflowExecutionUpdateAcceptedEventAttributes{
		WorkflowExecutionUpdateAcceptedEventAttributes: &historypb.WorkflowExecutionUpdateAcceptedEventAttributes{
			ProtocolInstanceId: id, AcceptedRequest: request,
		},
	}}
}

// An update is one word, whether the event of its acceptance brings it, or an
// earlier one.
func TestAnUpdateIsOneWord(t *testing.T) {
	update := func(id string) *updatepb.Request {
		return &updatepb.Request{Meta: &updatepb.Meta{UpdateId: id}, Input: &updatepb.Input{
			Name: workflows.ApprovalName,
			Args: &commonpb.Payloads{Payloads: []*commonpb.Payload{{Data: []byte(id)}}},
		}}
	}
	for name, tc := range map[string]struct {
		events []*historypb.HistoryEvent
		places []int64
	}{
		"accepted":                           {[]*historypb.HistoryEvent{accepted("u1", update("u1"))}, []int64{1}},
		"told again by a reset":              {[]*historypb.HistoryEvent{admitted(update("u1")), accepted("u1", nil)}, []int64{1}},
		"told again, and repeated":           {[]*historypb.HistoryEvent{admitted(update("u1")), accepted("u1", update("u1"))}, []int64{1}},
		"told again, and not yet accepted":   {[]*historypb.HistoryEvent{admitted(update("u1"))}, []int64{1}},
		"one told again, and another":        {[]*historypb.HistoryEvent{admitted(update("u1")), accepted("u2", update("u2")), accepted("u1", nil)}, []int64{1, 2}},
		"two told again, accepted backwards": {[]*historypb.HistoryEvent{admitted(update("u1")), admitted(update("u2")), accepted("u2", nil), accepted("u1", nil)}, []int64{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, e := range tc.events {
				e.EventId = int64(i + 1)
			}
			g := gathering{chain: []runs.Execution{{RunID: "one", History: &historypb.History{Events: tc.events}}}}
			require.NoError(t, g.words())
			var places []int64
			for _, a := range g.arrived {
				require.Equal(t, evidence.AboutPlan, a.about)
				require.Equal(t, approvals.ViaUpdate, a.via)
				require.NotEmpty(t, a.payloads)
				places = append(places, a.place.ID)
			}
			require.Equal(t, tc.places, places)
		})
	}
}
