package activities

import (
	"context"

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

// JudgeResolutions is JudgeDecisions for people's words about actions in doubt. It
// says when it refuses one by a policy that is not the one of the day.
func (a *Activities) JudgeResolutions(
	_ context.Context, in workflows.JudgeResolutionsInput,
) (workflows.JudgeDecisionsResult, error) {
	out := workflows.JudgeDecisionsResult{Verdicts: approvals.JudgeResolutions(in.Doubts, opened(in.Arrivals))}
	if a.Policy != nil && a.Policy.Version() != in.Doubts.Terms.Version {
		out.Outdated = in.Doubts.MarkOutdated(out.Verdicts)
	}
	return out, nil
}

// opened takes the JSON out of what arrived, as far as there is any.
func opened(letters []workflows.Arrival) []approvals.Arrival {
	arrivals := make([]approvals.Arrival, len(letters))
	for i, letter := range letters {
		arrivals[i] = approvals.Arrival{Via: letter.Via, At: letter.At, Late: letter.Late}
		arrivals[i].Raw, arrivals[i].Unreadable = letter.JSON()
	}
	return arrivals
}
