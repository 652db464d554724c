package model

import (
	"context"
	"strings"

	"go.uber.org/zap"
)

// A usage beyond these is a mistake, or another's.
const (
	// addedTokens are those that a provider puts around what it is sent, such as its
	// own instructions for calling a tool.
	addedTokens = 2000
	// overrun is how many times the limit a reply may have, by a server that counts
	// differently, or counts thoughts beside it.
	overrun = 2
)

// believable reports whether a reply's usage can be what it cost. No token is
// shorter than a byte, and no word has no token. What cannot be is taken as not
// reported: a server that leaves it out must not make a call look free, and one that
// invents it must not use up a budget.
func (t *talk) believable(c Conversation, r Reply) bool {
	u := r.Usage
	words := strings.TrimSpace(r.Text+r.Refusal) != ""
	return u.InputTokens > 0 && u.InputTokens <= bytesOf(c)+addedTokens &&
		u.OutputTokens >= 0 && u.OutputTokens <= overrun*int64(t.limits.OutputTokens) && (u.OutputTokens > 0 || !words)
}

func bytesOf(c Conversation) int64 {
	n := len(c.System) + len(c.Schema)
	for _, m := range c.Messages {
		n += len(m.Text)
	}
	return int64(n)
}

// estimate is how many tokens a conversation has.
func estimate(c Conversation) int64 {
	w := weightOf(c.System) + weightOf(string(c.Schema))
	for _, m := range c.Messages {
		w += weightOf(m.Text)
	}
	return int64(w.tokens())
}

// charge records what an answer cost, by the reply in it, and reports whether that
// says so.
func (t *talk) charge(ctx context.Context, c Conversation, a answer, r Reply) bool {
	if !t.believable(c, r) {
		t.keep(ctx, a)
		return false
	}
	t.settle(ctx, a, r.Usage)
	return true
}

// settle records what an answer cost. What cannot be recorded stays at what was
// reserved: the answer is here, and is worth more than the exact figure.
func (t *talk) settle(ctx context.Context, a answer, u Usage) {
	if a.stored {
		t.recorded(t.spend.SettleStored(ctx, t.request.Tenant, t.request.RunID, a.key, u))
		return
	}
	t.meter.Add(ctx, InputTokens, "", u.InputTokens)
	t.meter.Add(ctx, OutputTokens, "", u.OutputTokens)
	t.recorded(a.reservation.Settle(context.WithoutCancel(ctx), u))
}

// free gives back what was reserved for a call that cost nothing.
func (t *talk) free(ctx context.Context, a answer) {
	t.recorded(a.reservation.Settle(context.WithoutCancel(ctx), Usage{}))
}

// keep leaves a call at what was reserved, for good.
func (t *talk) keep(ctx context.Context, a answer) {
	if !a.stored {
		t.recorded(a.reservation.Keep(context.WithoutCancel(ctx)))
	}
}

func (t *talk) recorded(err error) {
	if err != nil {
		t.log.Warn("what a call to the model cost was not recorded; it counts as reserved",
			zap.String("run_id", t.request.RunID), zap.Error(err))
	}
}
