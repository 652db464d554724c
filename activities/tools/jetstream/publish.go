package jetstream

import (
	"context"
	"fmt"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
)

// Apply implements declared.Sender. The receipt's ref is "STREAM/sequence".
//
// Its faults: permanent when the message or the stream is unfit, when the user
// may not publish, and "key_conflict" when the stream has a message of this key
// with other parameters; transient when no server or no stream answers, before
// anything was sent or stored; in progress when the cluster is at work on the
// same key; unknown when the message was sent and its answer is missing.
func (s *sender) Apply(ctx context.Context, r declared.Request) (declared.Effect, error) {
	m, err := s.message(r)
	if err != nil {
		return declared.Effect{}, err
	}
	l, err := s.connection.open(ctx)
	if err != nil {
		return declared.Effect{}, err
	}
	info, err := s.live(ctx, l, m.Subject)
	if err != nil {
		return declared.Effect{}, err
	}
	// Connecting and asking have taken time.
	if err := r.Call.Allowed(ctx); err != nil {
		return declared.Effect{}, err
	}
	if ctx.Err() != nil {
		return declared.Effect{}, asNotSent(ctx)
	}
	ack, err := l.publish(ctx, m, s.settings.Stream)
	if err != nil {
		fault := publishFault(err, m.Subject, info.Config.Replicas)
		if fault.Class == faults.Unknown {
			l.abort()
		}
		return declared.Effect{}, fault
	}
	effect := stored{Subject: m.Subject, Sequence: ack.Sequence, Time: time.Now()}.effect(ack.Stream)
	if !ack.Duplicate {
		return effect, nil
	}
	return s.first(ctx, l, m, effect, ack)
}

// publish sends the message, once, and to no other stream.
func (l *link) publish(ctx context.Context, m message, stream string) (*natsjs.PubAck, error) {
	request, done := l.begin(ctx, m.Subject)
	defer done()
	ack, err := l.js.PublishMsg(request, m.Msg, natsjs.WithExpectStream(stream), natsjs.WithRetryAttempts(0))
	if err != nil {
		return nil, why(request, err)
	}
	return ack, nil
}

// first looks at the message that the stream has in the place of a duplicate.
// Not being able to is no failure: the broker has said that it is there.
func (s *sender) first(
	ctx context.Context, l *link, m message, unread declared.Effect, ack *natsjs.PubAck,
) (declared.Effect, error) {
	ctx, cancel := context.WithTimeout(ctx, firstTimeout)
	defer cancel()
	there, err := l.stored(ctx, ack.Stream, query{Sequence: ack.Sequence})
	if err != nil || there == nil || there.key() != m.Header.Get(natsjs.MsgIDHeader) {
		return unread, nil
	}
	if there.fingerprint() != m.Header.Get(headerFingerprint) {
		return declared.Effect{}, permanent("key_conflict",
			"stream %s has a message of this key with other parameters, sequence %d; the broker dropped this one", ack.Stream, ack.Sequence)
	}
	return there.effect(ack.Stream), nil
}

// firstTimeout bounds a look that is not needed: a user who may not read the
// stream gets no answer.
const firstTimeout = 2 * time.Second

// effect is a message in the stream as the effect of an action.
func (m stored) effect(stream string) declared.Effect {
	return declared.Effect{
		Ref:    fmt.Sprintf("%s/%d", stream, m.Sequence),
		Detail: fmt.Sprintf("stream %s, sequence %d, subject %s", stream, m.Sequence, m.Subject),
		At:     m.Time,
	}
}
