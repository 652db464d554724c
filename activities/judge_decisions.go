package activities

import (
	"context"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// JudgeDecisions reads a batch of decisions and judges them. It runs as a
// local activity, so its verdicts are facts in the history: a replay never
// reads a decision again, and a mended parser changes no waiting run.
func (a *Activities) JudgeDecisions(
	_ context.Context, in workflows.JudgeDecisionsInput,
) (workflows.JudgeDecisionsResult, error) {
	return workflows.JudgeDecisionsResult{Verdicts: approvals.Judge(in.Request, opened(in.Arrivals))}, nil
}

// JudgeResolutions is JudgeDecisions for people's words about actions in doubt.
func (a *Activities) JudgeResolutions(
	_ context.Context, in workflows.JudgeResolutionsInput,
) (workflows.JudgeDecisionsResult, error) {
	return workflows.JudgeDecisionsResult{Verdicts: approvals.JudgeResolutions(in.Doubts, opened(in.Arrivals))}, nil
}

// opened takes the JSON out of what arrived, as far as there is any.
func opened(letters []workflows.Arrival) []approvals.Arrival {
	arrivals := make([]approvals.Arrival, len(letters))
	for i, letter := range letters {
		arrivals[i] = approvals.Arrival{Via: letter.Via, At: letter.At, Late: letter.Late}
		arrivals[i].Raw, arrivals[i].Unreadable = jsonOf(letter.Payloads)
	}
	return arrivals
}

// jsonOf returns the JSON that a decision was sent as, or why there is none.
func jsonOf(serialized []byte) (raw []byte, unreadable string) {
	var payloads commonpb.Payloads
	if err := proto.Unmarshal(serialized, &payloads); err != nil {
		return nil, "the payloads are damaged"
	}
	switch n := len(payloads.GetPayloads()); {
	case n == 0:
		return nil, ""
	case n > 1:
		return nil, fmt.Sprintf("there are %d inputs instead of one", n)
	}
	payload := payloads.GetPayloads()[0]
	switch encoding := string(payload.GetMetadata()[converter.MetadataEncoding]); encoding {
	case converter.MetadataEncodingJSON:
		return payload.GetData(), ""
	case converter.MetadataEncodingNil:
		return []byte("null"), ""
	default:
		return nil, fmt.Sprintf("its encoding %.40q is not %s", encoding, converter.MetadataEncodingJSON)
	}
}
