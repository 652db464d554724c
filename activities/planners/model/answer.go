package model

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// answer is the body of an answer, and what was reserved for it.
type answer struct {
	body        []byte
	stored      bool        // by an earlier attempt, which paid for it
	reservation Reservation // nil of a stored one
}

// answer returns what is stored under a key, or asks and stores.
func (t *talk) answer(ctx context.Context, c Conversation, key string) (answer, error) {
	body, err := t.replies.Load(ctx, t.request.Tenant, key)
	switch {
	case err == nil:
		t.usage.Stored++
		t.meter.Add(ctx, StoredHits, "", 1)
		return answer{body: body, stored: true}, nil
	case !errors.Is(err, ErrNoReply):
		return answer{}, unreachable(err)
	}
	return t.buy(ctx, c, key)
}

// buy makes one call. From the moment on that the answer is here, nothing comes
// before storing it, not even the end of the step.
func (t *talk) buy(ctx context.Context, c Conversation, key string) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, faults.Name(err)
	}
	reservation, err := t.spend.Reserve(ctx, Call{
		Tenant: t.request.Tenant, RunID: t.request.RunID, Key: key, Most: Usage{estimate(c), int64(t.limits.OutputTokens)},
	})
	if err != nil {
		return answer{}, err
	}
	a := answer{reservation: reservation}
	t.usage.Calls++
	t.meter.Add(ctx, Calls, "", 1)
	a.body, err = t.whileAlive(func() ([]byte, error) { return t.engine.Ask(ctx, c) })
	if err != nil {
		return answer{}, t.unanswered(ctx, a, err)
	}
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := t.replies.Store(keep, t.request.Tenant, key, a.body); err != nil {
		return answer{}, unreachable(err)
	}
	return a, nil
}

// storeTimeout bounds the storing of an answer when the step has been told to
// end.
const storeTimeout = 30 * time.Second

// unanswered is the fault of a call that has no answer to keep. Only of an
// Unknown one is it not certain that it cost nothing.
func (t *talk) unanswered(ctx context.Context, a answer, err error) error {
	fault := faults.Name(err)
	if fault.Class != faults.Unknown {
		t.free(ctx, a)
	}
	if fault.Class == faults.Permanent {
		return fault
	}
	return t.paced(fault)
}

// settle records what an answer cost. What the server does not report stays at
// what was reserved, and so does what cannot be recorded: the answer is here, and
// is worth more than the exact figure.
func (t *talk) settle(ctx context.Context, a answer, u Usage) {
	if a.stored || u == (Usage{}) {
		return
	}
	t.meter.Add(ctx, InputTokens, "", u.InputTokens)
	t.meter.Add(ctx, OutputTokens, "", u.OutputTokens)
	t.record(ctx, a, u)
}

// free gives back what was reserved for a call that cost nothing.
func (t *talk) free(ctx context.Context, a answer) { t.record(ctx, a, Usage{}) }

func (t *talk) record(ctx context.Context, a answer, u Usage) {
	if err := a.reservation.Settle(context.WithoutCancel(ctx), u); err != nil {
		t.log.Warn("what a call to the model cost was not recorded; it counts as reserved",
			zap.String("run_id", t.request.RunID), zap.Error(err))
	}
}

// estimate is how many tokens a conversation has.
func estimate(c Conversation) int64 {
	w := weightOf(c.System) + weightOf(string(c.Schema))
	for _, m := range c.Messages {
		w += weightOf(m.Text)
	}
	return int64(w.tokens())
}

// beat is how often a waiting planner says that it is there: more often than
// the shortest heartbeat timeout that makes sense.
const beat = time.Second

// whileAlive calls f, and says meanwhile that the planner is there.
func (t *talk) whileAlive(f func() ([]byte, error)) ([]byte, error) {
	alive := t.request.Alive
	if alive == nil {
		return f()
	}
	alive()
	done := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				alive()
			}
		}
	})
	defer func() {
		close(done)
		beating.Wait()
	}()
	return f()
}
