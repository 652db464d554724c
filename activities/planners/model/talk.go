package model

import (
	"context"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// talk is one attempt to get a plan: questions, replies, and what they cost. An
// attempt after one that died says the same, and finds the replies stored.
type talk struct {
	*Planner

	request planners.Request
	shown   map[string]bool // the documents that the model has seen, by name
	usage   planners.Usage
}

// draft asks until a reply can be used, or until it has asked often enough.
func (t *talk) draft(ctx context.Context, first Conversation) (planners.Draft, error) {
	c := first
	for asked := 0; ; asked++ {
		reply, stored, err := t.reply(ctx, c)
		if err != nil {
			return planners.Draft{}, err
		}
		draft, err := t.judge(ctx, reply)
		wrong, mendable := err.(*objection) //nolint:errorlint // judge wraps none
		switch {
		case err == nil:
			return t.finish(draft, reply, asked), nil
		case !mendable:
			return planners.Draft{}, err
		case asked == t.limits.Asks:
			return planners.Draft{}, &faults.Fault{Class: faults.Permanent, Code: "bad_reply", Cause: wrong.cause, Reason: fmt.Sprintf(
				"the model was asked %d times, and its last reply cannot be used either: %s", asked+1, wrong.reason)}
		}
		if !stored { // else whoever bought it has counted it
			t.meter.Add(ctx, AskedAgain, wrong.kind, 1)
		}
		t.log.Info("the model is asked again", zap.String("run_id", t.request.RunID), zap.String("reason", wrong.kind))
		if c, err = t.again(first, reply.Text, rejection{asked + 1, t.limits.Asks + 1, wrong.reason}); err != nil {
			return planners.Draft{}, err
		}
	}
}

// finish says of a draft where it comes from.
func (t *talk) finish(draft planners.Draft, reply Reply, asked int) planners.Draft {
	draft.ModelID = plan.Clip(strings.ToValidUTF8(reply.ModelID, "\uFFFD"), 200)
	if draft.ModelID == "" {
		draft.ModelID = "not reported"
	}
	draft.PromptVersion = promptVersion()
	if asked > 0 {
		draft.Notes = append(draft.Notes, fmt.Sprintf("the model was asked %d times until its reply could be used", asked+1))
	}
	if used := (Usage{t.usage.InputTokens, t.usage.OutputTokens}); used != (Usage{}) {
		t.usage.Cost = t.spend.Cost(used)
	}
	draft.Usage = t.usage
	return draft
}

// reply is the model's answer to a conversation, and whether it was stored. A body
// that is no answer is kept like any other, and stands for one try: this attempt
// ends, so that the next one comes after a wait, and it finds the body and goes on
// to the next try.
func (t *talk) reply(ctx context.Context, c Conversation) (r Reply, stored bool, err error) {
	var last *faults.Fault
	q := question{Conversation: c}
	for try := range t.limits.Tries {
		key, err := paidRequest{
			Format: requestFormat, Tenant: t.request.Tenant, RunID: t.request.RunID, Execution: t.request.Execution, Revision: t.request.Revision,
			Engine: t.engine.Identity(), Conversation: c, Try: try,
		}.key()
		if err != nil {
			return Reply{}, false, err
		}
		q.keys = append(q.keys, key)
		a, err := t.answer(ctx, q)
		if err != nil {
			return Reply{}, false, err
		}
		if r, err = t.read(ctx, c, a); err == nil {
			return r, a.stored, nil
		}
		last = faults.Name(err)
		if !a.stored {
			t.meter.Add(ctx, NoAnswers, last.Code, 1)
		}
		switch {
		case last.Class == faults.Permanent:
			return Reply{}, false, last
		case !a.stored && try+1 < t.limits.Tries:
			return Reply{}, false, t.paced(last)
		}
	}
	return Reply{}, false, &faults.Fault{Class: faults.Permanent, Code: "no_reply", Cause: last, Reason: fmt.Sprintf(
		"the model's server was asked %d times, and sent nothing that is a reply; the last was %s", t.limits.Tries, last)}
}

// read is what an answer to a conversation says. Its error is a fault for one that
// says nothing.
func (t *talk) read(ctx context.Context, c Conversation, a answer) (Reply, error) {
	reply, err := t.engine.Read(a.body)
	if err != nil {
		t.keep(ctx, a)
		return Reply{}, err
	}
	if t.charge(ctx, c, a, reply) {
		t.usage.InputTokens += reply.Usage.InputTokens
		t.usage.OutputTokens += reply.Usage.OutputTokens
	} else {
		t.usage.Unreported++
	}
	if reply.Refusal != "" || reply.Stop == Filtered || strings.TrimSpace(reply.Text) != "" {
		return reply, nil
	}
	return Reply{}, &faults.Fault{Class: faults.Transient, Code: "empty_reply", Reason: emptyBecause(reply.Stop)}
}

// emptyBecause says of a reply without a word why it has none.
func emptyBecause(s Stop) string {
	switch s {
	case Cut:
		return "a reply that was cut at the limit of tokens before its first word; raise the planner's output_tokens"
	case Other:
		return "a reply without a word, which ended in a way that no plan ends, such as a call of a tool that was not offered; " +
			"check which model answers, and the planner's structured"
	default:
		return "an empty reply"
	}
}

// paced gives a server's trouble the planner's own waits.
func (t *talk) paced(f *faults.Fault) error { return &faults.Paced{Err: f, Retry: t.limits.Retry} }
