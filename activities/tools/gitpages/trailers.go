package gitpages

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// trailers remembers which commits carry which keys, so that no stretch of
// history is read twice. It takes about 300 bytes for each commit with a key.
type trailers struct {
	mu   sync.Mutex
	upto string              // what this commit reaches has been read
	made map[string][]string // the ids of commits, by the key in their trailer
}

// of returns the commits that carry key, as far as head reaches them; it may
// return others of a history that has been rewritten since.
func (t *trailers) of(ctx context.Context, g gitcli.Git, head, key string) ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if head != t.upto {
		err := t.read(ctx, g, head)
		if t.upto != "" && gitcli.ExitedWith(err, gitcli.FatalExit) {
			// A history that was rewritten, and collected as garbage.
			t.upto, t.made = "", nil
			err = t.read(ctx, g, head)
		}
		if err != nil {
			return nil, err
		}
		t.upto = head
	}
	return slices.Clone(t.made[key]), nil
}

// read adds what head reaches and upto does not. Git narrows it down to the
// messages that hold the words; what a trailer is, is decided here.
func (t *trailers) read(ctx context.Context, g gitcli.Git, head string) error {
	args := []string{
		"log", "-z", "--no-color", "--no-show-signature", "--encoding=UTF-8", "--format=tformat:%H%x00%B",
		"--fixed-strings", "--grep=" + trailerKey + ": ", head,
	}
	if t.upto != "" {
		args = append(args, "^"+t.upto)
	}
	if t.made == nil {
		t.made = make(map[string][]string)
	}
	return g.Into(ctx, &messages{take: t.add}, nil, append(args, "--")...)
}

func (t *trailers) add(id, message string) {
	for _, key := range keysIn(message) {
		key = strings.Clone(key) // or the whole message would be kept
		if !slices.Contains(t.made[key], id) {
			t.made[key] = append(t.made[key], id)
		}
	}
}

// messages takes a log of pairs, a commit's id and its message, each ended by
// a NUL, and hands on each pair as soon as it is whole: the messages of a long
// history are too many to be held.
type messages struct {
	take func(id, message string)
	rest []byte
}

func (m *messages) Write(p []byte) (int, error) {
	m.rest = append(m.rest, p...)
	for {
		id, after, _ := bytes.Cut(m.rest, []byte{0})
		message, after, whole := bytes.Cut(after, []byte{0})
		if !whole {
			break
		}
		m.take(string(id), string(message))
		m.rest = after
	}
	if len(m.rest) > gitcli.MaxOutput {
		return 0, gitcli.ErrOutput
	}
	return len(p), nil
}
