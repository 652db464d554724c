package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// The verdicts of a full batch are written into one marker of the history,
// which the server ends a run for when it is over 2 MiB. Fifty well-formed
// decisions with the longest and most costly texts stay under 256 kB.
func TestVerdictsOfAHostileBatchFitOneMarker(t *testing.T) {
	angry := strings.Repeat("<", approvals.MaxTextBytes)
	decision, err := json.Marshal(map[string]string{
		"decision": "revise", "plan_hash": plan.Sum([]byte("another")).String(), "approver": angry[:254], "comment": angry, "feedback": angry,
	})
	require.NoError(t, err)
	raw, err := proto.Marshal(&commonpb.Payloads{Payloads: []*commonpb.Payload{{
		Metadata: map[string][]byte{converter.MetadataEncoding: []byte(converter.MetadataEncodingJSON)}, Data: decision,
	}}})
	require.NoError(t, err)
	in := workflows.JudgeDecisionsInput{Request: approvals.Request{
		RunID: "acme/x", Phase: approvals.PhaseOpen, PlanHash: plan.Sum([]byte("current")), Requester: "ann.wu",
	}}
	for range 50 {
		in.Arrivals = append(in.Arrivals, workflows.Arrival{Payloads: raw, Via: approvals.ViaSignal})
	}
	out, err := (&activities.Activities{}).JudgeDecisions(context.Background(), in)
	require.NoError(t, err)
	require.Len(t, out.Verdicts, 50)
	for _, v := range out.Verdicts {
		require.Equal(t, approvals.StalePlan, v.Code, fmt.Sprint(v.Reason))
	}
	marker, err := json.Marshal(out)
	require.NoError(t, err)
	require.Less(t, len(marker), 256<<10)
}
