package model

import (
	"bytes"
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// question is a conversation, and the keys of its tries so far. The last one is
// that of the try at hand; of those before it, answers are stored that are none.
type question struct {
	Conversation

	keys []string
}

func (q question) key() string { return q.keys[len(q.keys)-1] }

// answer is the body of an answer, and what was reserved for it.
type answer struct {
	key         string // of its request
	body        []byte
	stored      bool        // by another attempt, which paid for it
	reservation Reservation // nil of a stored one
}

// answer returns what is stored under a question's key, or asks and stores.
func (t *talk) answer(ctx context.Context, q question) (answer, error) {
	body, err := t.replies.Load(ctx, t.request.Tenant, q.key())
	switch {
	case err == nil:
		return t.found(ctx, q, body), nil
	case !errors.Is(err, ErrNoReply):
		return answer{}, unreachable(err)
	}
	return t.buy(ctx, q)
}

// buy makes one call. From the moment on that the answer is here, nothing comes
// before storing it, not even the end of the step.
func (t *talk) buy(ctx context.Context, q question) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, faults.Name(err)
	}
	bought, err := t.purchases(ctx, q)
	if err != nil {
		return answer{}, err
	}
	until, _ := ctx.Deadline()
	reservation, err := t.spend.Reserve(ctx, Call{
		Tenant: t.request.Tenant, RunID: t.request.RunID, Key: q.key(), Most: Usage{estimate(q.Conversation), int64(t.limits.OutputTokens)},
		Question: q.keys, Tries: t.limits.Tries, Until: until,
	})
	if err != nil {
		return answer{}, t.unreserved(err)
	}
	bought.calls++
	a := answer{key: q.key(), reservation: reservation}
	t.usage.Calls++
	t.meter.Add(ctx, Calls, "", 1)
	a.body, err = t.engine.Ask(ctx, q.Conversation)
	if err != nil {
		return answer{}, t.unanswered(ctx, bought, a, err)
	}
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	kept, err := t.replies.Store(keep, t.request.Tenant, q.key(), a.body)
	switch {
	case err != nil:
		fault := faults.Name(unreachable(err))
		t.meter.Add(ctx, NoAnswers, fault.Code, 1)
		t.keep(ctx, a)
		return answer{}, t.lost(bought, fault)
	case !bytes.Equal(kept, a.body):
		return t.late(ctx, q, a, kept), nil
	default:
		return a, nil
	}
}

// late is the answer to go on with where another attempt stored one first, as when
// the worker of this one was stopped while the model was at work: the stored one,
// which all attempts after this find too. That of this call is of no use to anybody,
// and what it cost is recorded.
func (t *talk) late(ctx context.Context, q question, own answer, first []byte) answer {
	if reply, err := t.engine.Read(own.body); err != nil {
		t.keep(ctx, own)
	} else {
		t.charge(ctx, q.Conversation, own, reply)
	}
	t.log.Info("another attempt has stored an answer to this question first, and this one goes on with it", zap.String("run_id", t.request.RunID))
	return t.found(ctx, q, first)
}

// found is an answer that was paid for.
func (t *talk) found(ctx context.Context, q question, body []byte) answer {
	t.usage.Stored++
	t.meter.Add(ctx, StoredHits, "", 1)
	return answer{key: q.key(), body: body, stored: true}
}

// storeTimeout bounds the storing of an answer when the step has been told to
// end.
const storeTimeout = 30 * time.Second

// unreserved is the fault of a call that was not made. What it waits for are calls,
// and those take as long as the planner's own.
func (t *talk) unreserved(err error) error {
	if fault := faults.Name(err); fault.Waits {
		return t.paced(fault)
	}
	return err
}

// unanswered is the fault of a call that has no answer to keep. Only of an
// Unknown one is it not certain that it cost nothing.
func (t *talk) unanswered(ctx context.Context, bought purchases, a answer, err error) error {
	fault := faults.Name(err)
	t.meter.Add(ctx, NoAnswers, fault.Code, 1)
	if fault.Class == faults.Unknown {
		if _, last := errors.AsType[*faults.Last](err); last {
			fault = permanent(fault.Code, "%s", fault.Reason)
		}
		t.keep(ctx, a)
		return t.lost(bought, fault)
	}
	t.free(ctx, a)
	if fault.Class == faults.Permanent {
		return fault
	}
	return t.paced(fault)
}
