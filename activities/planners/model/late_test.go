package model_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

// slow is a server whose first answer is on its way until it is let go.
type slow struct {
	*server

	asked, letGo chan struct{}
}

func (s slow) Ask(ctx context.Context, c model.Conversation) ([]byte, error) {
	body, err := s.server.Ask(ctx, c)
	if first := s.calls() == 1; first {
		close(s.asked)
		<-s.letGo
	}
	return body, err
}

// overtaken is a scene in which the first attempt, whose worker stands still while the
// model is at work, is overtaken by a second one. It returns what the first comes to
// when it goes on, or its draft.
func overtaken(t *testing.T, replies model.Replies, answers ...any) (*scene, planners.Draft, error) {
	t.Helper()
	s := newScene(t, answers...)
	engine := slow{s.server, make(chan struct{}), make(chan struct{})}
	var err error
	s.planner, err = model.New(model.Config{Name: "test", Engine: engine, Replies: replies, Spend: s.spend, Meter: s.meter})
	require.NoError(t, err)
	type end struct {
		draft planners.Draft
		err   error
	}
	first := make(chan end)
	go func() {
		draft, err := s.plan(request())
		first <- end{draft, err}
	}()
	<-engine.asked
	_, err = s.plan(request())
	require.Equal(t, "http_429", faults.Name(err).Code, "the second attempt ends after what it has stored")
	close(engine.letGo)
	came := <-first
	return s, came.draft, came.err
}

// The first stored reply stands: the replies to the questions that were made of it are
// found by whoever comes later, also by the attempt that was overtaken.
func TestTheFirstStoredReplyStands(t *testing.T) {
	store, err := blobs.Config{URL: "file://" + t.TempDir()}.Open()
	require.NoError(t, err)
	defer store.Close()
	s, draft, err := overtaken(t, model.StoredIn(store), "sure", "nope", "hmm", busy(), good)
	require.NoError(t, err)
	require.Equal(t, planners.Usage{Calls: 2, Stored: 2, InputTokens: 300, OutputTokens: 30, Cost: "330 USD"}, draft.Usage)
	require.Equal(t, 5, s.server.calls(), "the first question by both, the second once, the third until there was an answer")
	questions := map[string]int{}
	for _, c := range s.server.heard {
		questions[c.Messages[len(c.Messages)-1].Text]++
		require.NotContains(t, conversationText(c), "sure", "nobody goes on with the reply that came too late")
	}
	require.Len(t, questions, 3)

	for range 3 {
		again, err := s.plan(request())
		require.NoError(t, err)
		require.Equal(t, draft.Actions, again.Actions)
		require.Equal(t, 0, again.Usage.Calls)
	}
	require.Equal(t, 5, s.server.calls(), "no later attempt buys anything")
	require.EqualValues(t, 2, s.meter.counts["model_asked_again form"], "once for each reply that was of no use")
}

// conversationText is all that a conversation says beside the fixed instructions.
func conversationText(c model.Conversation) string {
	text := ""
	for _, m := range c.Messages {
		text += m.Text + "\n"
	}
	return text
}

// What a call cost whose reply came too late is recorded as of any other.
func TestTheReplyThatCameTooLateIsPaidFor(t *testing.T) {
	for name, tt := range map[string]struct {
		late any
		used model.Usage // of its call; zero: it stays at what was reserved
	}{
		"a reply":      {envelope{Text: good, Stop: model.Ended, In: 90, Out: 9}, model.Usage{InputTokens: 90, OutputTokens: 9}},
		"not reported": {envelope{Text: good, Stop: model.Ended}, model.Usage{}},
		"no answer":    {"<html>", model.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			s, draft, err := overtaken(t, &memory{bodies: map[string][]byte{}}, tt.late, "nope", busy(), good)
			require.NoError(t, err)
			require.Equal(t, planners.Usage{Calls: 2, Stored: 1, InputTokens: 200, OutputTokens: 20, Cost: "220 USD"}, draft.Usage)
			used, settled := s.spend.settled[0]
			require.Equal(t, tt.used != model.Usage{}, settled)
			require.Equal(t, tt.used, used)
			require.Equal(t, !settled, len(s.spend.kept) == 1, "and else is known to be over")
			require.Equal(t, model.Usage{InputTokens: 100, OutputTokens: 10}, s.spend.settled[1], "the call that came first")
			require.EqualValues(t, 1, s.meter.counts["model_stored_hits"])
			require.EqualValues(t, 4, s.meter.counts["model_calls"])
		})
	}
}
