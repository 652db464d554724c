package activities

import (
	"context"
	"errors"
	"strings"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// logFailure says in the worker's own log what the history must not hold: what
// caused the error. A deadline is named, because the server only sees silence.
func logFailure(ctx context.Context, log *zap.Logger, err error) {
	text, cause := faults.Trouble(err)
	log = log.With(zap.String("error", text))
	if cause != "" {
		log = log.With(zap.String("cause", cause))
	}
	switch ended := context.Cause(ctx); {
	case errors.Is(ended, context.DeadlineExceeded):
		log.Warn("attempt ran out of time")
	case ended != nil:
		log.Warn("attempt was interrupted", zap.NamedError("interrupted_by", ended))
	case temporal.IsCanceledError(err):
		log.Info("attempt was canceled")
	default:
		log.Warn("attempt failed", zap.String("class", faults.Name(err).Class.String()))
	}
}

// fields are what every line about an attempt carries. A run's id begins with
// its tenant, which the workflow has checked.
func fields(info activity.Info, args []any) []zap.Field {
	tenant, _, _ := strings.Cut(info.WorkflowExecution.ID, "/")
	fs := []zap.Field{
		zap.String("run_id", info.WorkflowExecution.ID),
		// One execution of a run is one trace, whatever step and worker it is at.
		zap.String("trace_id", info.WorkflowExecution.RunID),
		zap.String("tenant", tenant),
		zap.String("step_name", info.ActivityType.Name),
		zap.Int32("attempt", info.Attempt),
	}
	for _, arg := range args {
		switch in := arg.(type) {
		case workflows.CollectContextInput:
			fs = append(fs, zap.String("idempotency_key", in.Key))
		case workflows.MakePlanInput:
			fs = append(fs, zap.String("idempotency_key", in.RequestKey))
		case workflows.RequestApprovalInput:
			fs = append(fs, zap.String("idempotency_key", in.Key))
		case workflows.ExecuteActionInput:
			fs = append(fs, zap.String("action_id", in.ActionID), zap.String("idempotency_key", in.Key))
		case workflows.SettleActionInput:
			fs = append(fs, zap.String("action_id", in.ActionID), zap.String("idempotency_key", in.Key))
		case workflows.Notice:
			fs = append(fs, zap.String("channel", in.Channel), zap.String("event", string(in.Event)), zap.String("idempotency_key", in.Key))
		case workflows.SummarizeInput:
			fs = append(fs, zap.String("idempotency_key", in.Key))
		}
	}
	return fs
}
