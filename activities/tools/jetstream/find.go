package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
)

const (
	// mostRead bounds how many messages one look reads, one request each.
	mostRead = 20_000
	// clockMargin is what the ledger's clock and the broker's may differ.
	clockMargin = 5 * time.Minute
	// everything is the pattern of every subject.
	everything = ">"
)

// Find implements declared.Finder: it reads the stream, from the first call's
// time on, for a message of the key.
//
// All subjects are read before absence is concluded, because a server can map
// the subject that is published to another one that is stored.
func (s *sender) Find(ctx context.Context, r declared.Request) (tools.Presence, declared.Effect, string, error) {
	m, err := s.message(r)
	if err != nil {
		return tools.NotProven, declared.Effect{}, "", err
	}
	l, info, err := s.look(ctx)
	if err != nil {
		return tools.NotProven, declared.Effect{}, "", err
	}
	seen, err := l.scan(ctx, info, m, r.Call.FirstSent)
	name := info.Config.Name
	switch {
	case err != nil:
		return tools.NotProven, declared.Effect{}, "", askFault(err, "the messages of stream "+name)
	case len(seen.found) > 0:
		first := seen.found[0]
		if first.fingerprint() != m.Header.Get(headerFingerprint) {
			other := fmt.Sprintf("stream %s has a message of this key with other parameters, sequence %d", name, first.Sequence)
			return tools.NotProven, declared.Effect{}, other, nil
		}
		effect := first.effect(name)
		return tools.Found, effect, effect.Detail, nil
	case !seen.whole:
		more := fmt.Sprintf("stream %s has more messages than a look reads; the first %d have no such key", name, seen.read)
		return tools.NotProven, declared.Effect{}, more, nil
	}
	// Asked after the reading: what is removed now was there to be read.
	info, err = l.streamInfo(ctx, name)
	switch {
	case err != nil:
		return tools.NotProven, declared.Effect{}, "", askFault(err, "the stream "+name)
	case !keeps(info, r.Call.FirstSent):
		return tools.NotProven, declared.Effect{}, "stream " + name + " has no message of this key, and may have removed one", nil
	default:
		return tools.Absent, declared.Effect{}, "stream " + name + " has kept all it got since then, and has no message of this key", nil
	}
}

// Count implements declared.Sender. It counts the messages of the key that the
// stream still has; -1 when there are too many messages to read.
func (s *sender) Count(ctx context.Context, r declared.Request) (int, error) {
	m, err := s.message(r)
	if err != nil {
		return 0, err
	}
	l, info, err := s.look(ctx)
	if err != nil {
		return 0, err
	}
	seen, err := l.scan(ctx, info, m, time.Time{})
	switch {
	case err != nil:
		return 0, askFault(err, "the messages of stream "+info.Config.Name)
	case !seen.whole:
		return -1, nil
	default:
		return len(seen.found), nil
	}
}

// look asks for the stream as it is, whether or not it is fit for a publish.
func (s *sender) look(ctx context.Context) (*link, *natsjs.StreamInfo, error) {
	l, err := s.connection.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	info, err := l.streamInfo(ctx, s.settings.Stream)
	switch {
	case errors.Is(err, natsjs.ErrStreamNotFound):
		return nil, nil, transient("stream_not_found", err, "NATS has no stream %s to look at", s.settings.Stream)
	case err != nil:
		return nil, nil, askFault(err, "the stream "+s.settings.Stream)
	}
	return l, info, nil
}

// seen is what a look at a stream has shown.
type seen struct {
	found []stored
	read  int
	whole bool // up to the last message that there was when the look began
}

// scan reads the stream's messages since a time, or all when it is zero, for
// those of m's key: first those of m's subject, which are fewer, and then, when
// none of these is it, all.
func (l *link) scan(ctx context.Context, info *natsjs.StreamInfo, m message, since time.Time) (seen, error) {
	result, err := l.scanSubject(ctx, info, m.Subject, m.Header.Get(natsjs.MsgIDHeader), since)
	if err != nil || len(result.found) > 0 {
		return result, err
	}
	return l.scanSubject(ctx, info, everything, m.Header.Get(natsjs.MsgIDHeader), since)
}

func (l *link) scanSubject(ctx context.Context, info *natsjs.StreamInfo, pattern, key string, since time.Time) (seen, error) {
	var result seen
	next := query{Sequence: 1, Subject: pattern}
	if !since.IsZero() {
		from := since.Add(-clockMargin).UTC()
		next = query{Since: &from, Subject: pattern}
	}
	for result.read < mostRead {
		m, err := l.stored(ctx, info.Config.Name, next)
		if err != nil {
			return result, err
		}
		if m == nil || m.Sequence > info.State.LastSeq {
			result.whole = true
			return result, nil
		}
		result.read++
		if m.key() == key {
			result.found = append(result.found, *m)
		}
		next = query{Sequence: m.Sequence + 1, Subject: pattern}
	}
	return result, nil
}
