package jetstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"
)

// live asks for the stream as it is now, and refuses one that would not keep
// the promise of this tool: the right stream for the subject, which answers,
// and remembers a message id for the tool's key window.
func (s *sender) live(ctx context.Context, l *link, subject string) (*natsjs.StreamInfo, error) {
	name := s.settings.Stream
	info, err := l.streamInfo(ctx, name)
	if errors.Is(err, natsjs.ErrStreamNotFound) {
		return nil, permanent("stream_not_found", "NATS has no stream %s", name)
	}
	if err != nil {
		return nil, askFault(err, "the stream "+name)
	}
	switch config := info.Config; {
	case !slices.ContainsFunc(config.Subjects, func(pattern string) bool { return matches(pattern, subject) }):
		return nil, permanent("subject_not_in_stream", "stream %s does not take the subject of this action", name)
	case config.NoAck:
		return nil, permanent("stream_unfit", "stream %s does not acknowledge messages (no_ack)", name)
	case config.Sealed:
		return nil, permanent("stream_unfit", "stream %s is sealed", name)
	case config.Duplicates < s.spec.KeyWindow:
		return nil, permanent("key_window",
			"tool %s declares a key_window of %s, and stream %s remembers a message id for %s only; lower the one or raise the other",
			s.spec.Name, s.spec.KeyWindow, name, config.Duplicates)
	}
	return info, nil
}

func (l *link) streamInfo(ctx context.Context, name string) (*natsjs.StreamInfo, error) {
	request, done := l.begin(ctx, "$JS.API.STREAM.INFO."+name)
	defer done()
	stream, err := l.js.Stream(request, name)
	if err != nil {
		return nil, why(request, err)
	}
	return stream.CachedInfo(), nil
}

// matches reports whether a subject falls under a pattern: * stands for one
// token, > for one or more at the end.
func matches(pattern, subject string) bool {
	patterns, tokens := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, p := range patterns {
		switch {
		case i >= len(tokens):
			return false
		case p == ">":
			return true
		case p != "*" && p != tokens[i]:
			return false
		}
	}
	return len(patterns) == len(tokens)
}

// notes are what an approver should know of a stream's promise.
func notes(info *natsjs.StreamInfo) []string {
	var notes []string
	if info.Config.Storage == natsjs.MemoryStorage {
		notes = append(notes, "the stream keeps messages in memory; it forgets them, and their ids, when it restarts")
	} else if info.Config.Retention != natsjs.LimitsPolicy {
		notes = append(notes, "the stream removes consumed messages; it forgets their ids when it restarts")
	}
	return notes
}

// keeps reports whether a stream surely still has every message that it has
// got since a time, by the ledger's clock: what it does not have now was never
// stored.
func keeps(info *natsjs.StreamInfo, since time.Time) bool {
	config, state := info.Config, info.State
	from := since.Add(-clockMargin)
	switch {
	case since.IsZero(), info.Created.After(since):
		return false // an earlier stream of this name may have had it
	case config.Storage != natsjs.FileStorage, config.Retention != natsjs.LimitsPolicy:
		return false // what was forgotten or consumed leaves no trace
	case state.NumDeleted > 0:
		return false // in between, removed by a person, a limit or its own time to live
	case state.FirstSeq <= 1:
		return true // nothing was ever removed
	case state.Msgs == 0:
		return state.LastTime.Before(from) // all was removed, and was older
	default:
		return state.FirstTime.Before(from)
	}
}

func indent(raw []byte) (string, error) {
	var b bytes.Buffer
	err := json.Indent(&b, raw, "", "  ")
	return b.String(), err
}
