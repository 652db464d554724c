package program

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/budget"
	"github.com/holdpoint/holdpoint/activities/planners/given"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/outline"
	"github.com/holdpoint/holdpoint/internal/config"
)

// entries is the part of the blob store that planners use.
type entries interface {
	model.Named
	budget.Entries
}

// builtIn are the planners that need no declaration.
func builtIn(cfg config.Config) []planners.Planner {
	return []planners.Planner{outline.Planner{SourceURLs: cfg.SourceURLs}, given.Planner{}}
}

// open makes all planners of a configuration. replyStored is called whenever a
// reply has been stored.
func (m modelPlanners) open(cfg config.Config, store entries, replyStored func(), log *zap.Logger) (map[string]planners.Planner, error) {
	byName := map[string]planners.Planner{}
	for _, p := range builtIn(cfg) {
		byName[p.Name()] = p
	}
	book, err := budget.New(store, m.budgets)
	if err != nil {
		return nil, err
	}
	for _, declared := range m.declared {
		p, err := declared.open(store, book, replyStored, log)
		if err != nil {
			return nil, err
		}
		byName[declared.name] = p
	}
	return byName, nil
}

func (m modelPlanner) open(store entries, book *budget.Book, replyStored func(), log *zap.Logger) (*model.Planner, error) {
	account, err := book.Account(m.model, startOfAttempt)
	if err != nil {
		return nil, err
	}
	return model.New(model.Config{
		Name: m.name, Engine: m.engine, Replies: drilledReplies{model.StoredIn(store), replyStored},
		Spend: account, Meter: planMeter{m.name, m.model}, Limits: m.limits, Log: log,
	})
}

// startOfAttempt is the server's time: it decides to which month a call belongs.
func startOfAttempt(ctx context.Context) time.Time { return activity.GetInfo(ctx).StartedTime }

// drilledReplies let a drill act right after a reply was stored.
type drilledReplies struct {
	model.Replies

	stored func()
}

// Store implements model.Replies.
func (r drilledReplies) Store(ctx context.Context, tenant, key string, body []byte) ([]byte, error) {
	kept, err := r.Replies.Store(ctx, tenant, key, body)
	if err == nil {
		r.stored()
	}
	return kept, err
}

// planMeter counts with the metrics of the attempt at hand.
type planMeter struct{ planner, model string }

// Add implements model.Meter. All counters have the same tags, also an empty
// reason, because a metric with changing tags is several.
func (m planMeter) Add(ctx context.Context, counter model.Counter, reason string, n int64) {
	activity.GetMetricsHandler(ctx).
		WithTags(map[string]string{"planner": m.planner, "model": m.model, "reason": reason}).
		Counter("holdpoint_" + string(counter)).Inc(n)
}

// planMargin is what an attempt to plan has beside its calls: for reading the
// documents, for the tools' previews, and for the stores.
const planMargin = 5 * time.Minute

// planTimeout bounds an attempt to plan. An attempt asks at most asks + 1
// questions, and makes at most one call for each: an answer that is none ends
// it, because the next try comes after a wait.
func (m modelPlanners) planTimeout(usual time.Duration) time.Duration {
	for _, p := range m.declared {
		usual = max(usual, time.Duration(max(p.limits.Asks, 0)+1)*p.timeout+planMargin)
	}
	return usual
}

// planQueue is the task queue of a planner whose rate is limited over all
// workers: the server hands out what it has at the queue's rate.
func planQueue(cfg config.Config, planner string) string { return cfg.TaskQueue + "/plans/" + planner }

// planQueues are the planners with a rate, each with its queue.
func (m modelPlanners) planQueues(cfg config.Config) map[string]string {
	queues := map[string]string{}
	for _, p := range m.declared {
		if p.rate > 0 {
			queues[p.name] = planQueue(cfg, p.name)
		}
	}
	return queues
}
