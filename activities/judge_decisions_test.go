package activities_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

var thePlan = plan.Sum([]byte("the plan"))

func approvalOf(approver string) []byte {
	return fmt.Appendf(nil, `{"decision":"approve","plan_hash":%q,"approver":%q}`, thePlan, approver)
}

func payload(encoding string, data []byte) *commonpb.Payload {
	return &commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding)}, Data: data}
}

func serialized(t *testing.T, payloads ...*commonpb.Payload) []byte {
	t.Helper()
	raw, err := proto.Marshal(&commonpb.Payloads{Payloads: payloads})
	require.NoError(t, err)
	return raw
}

// judge judges one batch on an open gate.
func judge(t *testing.T, batch ...workflows.Arrival) []approvals.Verdict {
	t.Helper()
	out, err := (&activities.Activities{}).JudgeDecisions(context.Background(), workflows.JudgeDecisionsInput{
		Request: approvals.Request{
			RunID: runID, RequestID: "request-1", Phase: approvals.PhaseOpen, PlanHash: thePlan, Requester: "ann.wu",
			Terms: approvals.Terms{
				Label: "test", Version: "test@sha256:01", Proof: approvals.ByClaim, GrantLife: time.Hour,
				Quorums: []approvals.Quorum{{Group: "approvers", Need: 1, Members: []string{"bo.lin", "cy.ma"}}},
			},
		},
		Arrivals: batch,
	})
	require.NoError(t, err, "whatever was sent, a verdict is given: a retry would give the same")
	require.Len(t, out.Verdicts, len(batch))
	return out.Verdicts
}

func TestJudgeDecisionsReadsWhateverWasSent(t *testing.T) {
	good := approvalOf("bo.lin")
	without := payload("json/plain", good)
	without.Metadata = nil
	for name, tc := range map[string]struct {
		payloads []byte
		code     approvals.Code
		says     string
	}{
		"json":                   {serialized(t, payload("json/plain", good)), approvals.Accepted, ""},
		"json, further metadata": {serialized(t, withMetadata(payload("json/plain", good))), approvals.Accepted, ""},
		"null":                   {serialized(t, payload("binary/null", nil)), approvals.Malformed, "is null"},
		"bytes":                  {serialized(t, payload("binary/plain", good)), approvals.Malformed, `"binary/plain" is not json/plain`},
		"protobuf":               {serialized(t, payload("binary/protobuf", good)), approvals.Malformed, `"binary/protobuf"`},
		"encrypted":              {serialized(t, payload("binary/encrypted", good)), approvals.Malformed, `"binary/encrypted"`},
		"protobuf as json":       {serialized(t, payload("json/protobuf", good)), approvals.Malformed, `"json/protobuf"`},
		"no encoding":            {serialized(t, without), approvals.Malformed, `"" is not json/plain`},
		"another case":           {serialized(t, payload("JSON/plain", good)), approvals.Malformed, `"JSON/plain"`},
		"an endless encoding":    {serialized(t, payload(strings.Repeat("e", 1<<20), good)), approvals.Malformed, "not json/plain"},
		"an encoding of rubbish": {serialized(t, payload("\xff\x00", good)), approvals.Malformed, `"\xff\x00"`},
		"two":                    {serialized(t, payload("json/plain", good), payload("json/plain", good)), approvals.Malformed, "2 inputs instead of one"},
		"none":                   {serialized(t), approvals.Malformed, "no input"},
		"an empty one":           {serialized(t, payload("json/plain", nil)), approvals.Malformed, "no input"},
		"rubbish":                {[]byte{0xff, 0x01, 0x02}, approvals.Malformed, "damaged"},
		"cut off":                {serialized(t, payload("json/plain", good))[:20], approvals.Malformed, "damaged"},
		"bare json":              {good, approvals.Malformed, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			at := time.Date(2025, 9, 30, 8, 0, 0, 0, time.UTC)
			v := judge(t, workflows.Arrival{Payloads: tc.payloads, Via: approvals.ViaSignal, At: at})[0]
			require.Equal(t, tc.code, v.Code, v.Reason)
			require.Contains(t, v.Reason, tc.says)
			require.Less(t, len(v.Reason), 500)
			require.Equal(t, at, v.At)
			require.Equal(t, approvals.ViaSignal, v.Via)
			if tc.code == approvals.Malformed {
				require.Empty(t, v.Approver, "nothing is concluded from what cannot be read")
			}
		})
	}
}

func withMetadata(p *commonpb.Payload) *commonpb.Payload {
	p.Metadata["messageType"] = []byte("x")
	return p
}

// One batch is judged in the order in which it came: rubbish in it changes
// nothing for the others, and the second approval finds the gate closed.
func TestJudgeDecisionsInOrder(t *testing.T) {
	send := func(data []byte, late bool) workflows.Arrival {
		return workflows.Arrival{Payloads: serialized(t, payload("json/plain", data)), Via: approvals.ViaUpdate, Late: late}
	}
	verdicts := judge(t,
		workflows.Arrival{Payloads: []byte{0xff}},
		send(approvalOf("ann.wu"), false),
		send(approvalOf("bo.lin"), false),
		send(approvalOf("bo.lin"), false),
		send(approvalOf("cy.ma"), false),
		send([]byte(`{}`), false),
	)
	var codes []approvals.Code
	for _, v := range verdicts {
		codes = append(codes, v.Code)
	}
	require.Equal(t, []approvals.Code{
		approvals.Malformed, approvals.SelfApproval, approvals.Accepted, approvals.Duplicate, approvals.TooLate, approvals.Malformed,
	}, codes)
	require.Equal(t, approvals.Expired, judge(t, send(approvalOf("bo.lin"), true))[0].Code, "whether it was late is the workflow's to say")
	require.Empty(t, judge(t))
}
