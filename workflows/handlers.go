package workflows

import (
	"errors"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
)

// handle registers the queries and the update.
func (r *agentRun) handle(ctx workflow.Context) error {
	return errors.Join(
		workflow.SetQueryHandler(ctx, StatusQuery, func() (Status, error) { return *r.result(), nil }),
		workflow.SetQueryHandler(ctx, PlanQuery, func() (PlanView, error) { return r.planView(), nil }),
		workflow.SetQueryHandler(ctx, VerdictsQuery, func() (Decisions, error) { return r.state.Decisions, nil }),
		workflow.SetUpdateHandlerWithOptions(ctx, ApprovalName, r.on(aboutPlan), workflow.UpdateHandlerOptions{
			Validator:   validator(approvals.ParseDecision),
			Description: "a decision on the plan: the same payload as the signal; answers with the verdict",
		}),
		workflow.SetUpdateHandlerWithOptions(ctx, ResolutionName, r.on(aboutEffect), workflow.UpdateHandlerOptions{
			Validator:   validator(approvals.ParseResolution),
			Description: "what became of an action in doubt: the same payload as the signal; answers with the verdict",
		}),
	)
}

func (r *agentRun) planView() PlanView {
	p := r.state.Plan
	if p == nil {
		return PlanView{}
	}
	view := PlanView{PlanHash: p.PlanHash, Blob: p.Blob, Actions: p.Actions}
	if len(p.Plan) > 0 {
		view.Plan, view.Actions = p.Plan, nil
	}
	return view
}

// on returns the update handler that puts what comes into the same inbox as
// the signals and answers with its verdict.
func (r *agentRun) on(about topic) func(workflow.Context, converter.RawValue) (approvals.Verdict, error) {
	return func(ctx workflow.Context, sent converter.RawValue) (approvals.Verdict, error) {
		var verdict approvals.Verdict
		payloads, err := MarshalPayloads(&commonpb.Payloads{Payloads: []*commonpb.Payload{sent.Payload()}})
		if err != nil {
			return verdict, err
		}
		answer, reply := workflow.NewFuture(ctx)
		r.inbox.add(ctx, about, payloads, approvals.ViaUpdate, reply)
		err = answer.Get(ctx, &verdict)
		return verdict, err
	}
}

// validator refuses only what is malformed, which leaves no trace in the
// history; everything well-formed is admitted, judged and listed. The SDK does
// not run validators on replay, so parsing here can change nothing that was
// recorded.
func validator[T any](parse func([]byte) (T, error)) func(converter.RawValue) error {
	return func(sent converter.RawValue) error {
		if encoding := string(sent.Payload().GetMetadata()[converter.MetadataEncoding]); encoding != converter.MetadataEncodingJSON {
			return temporal.NewNonRetryableApplicationError(
				"the input is not sent as "+converter.MetadataEncodingJSON, string(approvals.Malformed), nil)
		}
		if _, err := parse(sent.Payload().GetData()); err != nil {
			// Without err as its cause, which would say all of it again.
			return temporal.NewNonRetryableApplicationError(err.Error(), string(approvals.Malformed), nil)
		}
		return nil
	}
}
