package model_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
)

// cut is an answer that broke off, and may have been paid for.
func cut() error {
	return &faults.Fault{Class: faults.Unknown, Code: "answer_cut", Reason: "model: the connection broke"}
}

// However many attempts there are, one question is bought as often as tries says.
func TestLostAnswersAreBoundedOverAllAttempts(t *testing.T) {
	for name, tt := range map[string]struct {
		tries   int
		answers []any
		code    string
		calls   int
		says    string
	}{
		"all lost":             {0, []any{cut()}, "answers_lost", 4, "called 4 times for one question, as often as the planner's tries allows, and 4 of the answers were lost"},
		"one is all":           {1, []any{cut()}, "answers_lost", 1, "called 1 times"},
		"more are allowed":     {6, []any{cut()}, "answers_lost", 6, "called 6 times"},
		"with pages between":   {0, []any{cut(), "<html>", cut()}, "answers_lost", 4, "3 of the answers were lost"},
		"pages at the end":     {0, []any{cut(), cut(), "<html>"}, "answers_lost", 4, "2 of the answers were lost"},
		"refused calls cost 0": {0, []any{busy(), busy(), busy(), busy(), busy(), busy(), cut()}, "answers_lost", 10, "called 4 times"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSceneWithin(t, model.Limits{Tries: tt.tries}, tt.answers...)
			_, err := s.attempts(request())
			s.refusedAs(err, tt.code, tt.says)
			require.Equal(t, tt.calls, s.server.calls())

			_, err = s.attempts(request())
			s.refusedAs(err, tt.code, "")
			require.Equal(t, tt.calls, s.server.calls(), "an attempt more buys nothing more")
		})
	}
}

func busy() error {
	return &faults.Fault{Class: faults.Throttled, Code: "http_429", Reason: "model: asks to wait"}
}

// The last one says at once that it was the last, and how it was lost.
func TestTheLastLostAnswerEndsTheRun(t *testing.T) {
	s := newSceneWithin(t, model.Limits{Tries: 2}, cut())
	_, err := s.plan(request())
	require.Equal(t, faults.Unknown, faults.ClassOf(err))
	_, err = s.plan(request())
	s.refusedAs(err, "answers_lost", "the last: answer_cut: model: the connection broke")
	require.Empty(t, s.spend.settled, "both count as much as they can have cost")
}

// What loses answers is given more time after each.
func TestWaitsAfterLostAnswersGrow(t *testing.T) {
	s := newSceneWithin(t, model.Limits{Tries: 7}, busy(), cut(), cut(), cut(), cut(), cut(), cut(), good)
	for attempt, want := range []time.Duration{
		4 * time.Second, 2 * time.Second, 10 * time.Second, 50 * time.Second, 250 * time.Second, 5 * time.Minute, 5 * time.Minute,
	} {
		_, err := s.plan(request())
		paced, ok := errors.AsType[*faults.Paced](err)
		require.True(t, ok)
		paced.Retry.Rand = func() float64 { return 1 }
		if attempt == 0 {
			require.Equal(t, want, paced.Retry.Delay(2, 0), "turned away: by the number of the attempt")
			continue
		}
		require.Equal(t, want, paced.Retry.Delay(attempt+1, 0))
		require.Equal(t, 7*time.Minute, paced.Retry.Delay(attempt+1, 7*time.Minute), "the server's wait is kept")
	}
	_, err := s.plan(request())
	require.NoError(t, err)
}

// What is lost for one question is not lost for another.
func TestEachQuestionHasItsOwnTries(t *testing.T) {
	s := newScene(t, cut(), cut(), cut(), "no plan", cut(), cut(), cut(), good)
	_, err := s.attempts(request())
	require.NoError(t, err)
	require.Equal(t, 8, s.server.calls())

	r := request()
	r.Execution = "another start"
	_, err = s.attempts(r)
	require.NoError(t, err)
}

func TestWorkersThatAreKilledAtTheModelAreBoundedToo(t *testing.T) {
	s := newScene(t, good)
	s.replies.before = func() { panic("SIGKILL") }
	for range 4 {
		require.Panics(t, func() { killed(s) })
	}
	s.replies.before = nil
	_, err := s.plan(request())
	s.refusedAs(err, "answers_lost", "the last: a worker was killed or stopped while the model was at work")
	require.Equal(t, 4, s.server.calls())
}

// An answer that is too large, or has the key in it, would be so again.
func TestAnswerThatIsLostForGoodEndsTheRunAtOnce(t *testing.T) {
	for _, code := range []string{"answer_too_large", "key_echoed"} {
		s := newScene(t, &faults.Last{Err: &faults.Fault{Class: faults.Unknown, Code: code, Reason: "model: raise something"}})
		_, err := s.attempts(request())
		s.refusedAs(err, code, "raise something")
		require.Equal(t, 1, s.server.calls())
		require.Len(t, s.spend.calls, 1)
		require.Empty(t, s.spend.settled, "it was paid for")
		require.Empty(t, s.replies.bodies)
	}
}

// After an answer that could not be stored, nothing is bought before the store is
// seen to work.
func TestNothingIsBoughtWhileTheStoreDoesNotWork(t *testing.T) {
	s := newScene(t, good)
	s.replies.fails = errors.New("disk full at /secret/path")
	for attempt := range 10 {
		_, err := s.plan(request())
		require.Equal(t, faults.Transient, faults.ClassOf(err))
		require.Equal(t, "replies_unreachable", faults.Name(err).Code)
		require.True(t, faults.Waits(err))
		require.NotContains(t, err.Error(), "secret")
		require.Equal(t, attempt, s.replies.probes)
		require.Equal(t, 1, s.server.calls())
		require.Len(t, s.spend.calls, 1, "and nothing is reserved")
	}
	s.replies.fails = nil
	_, err := s.plan(request())
	require.NoError(t, err)
	require.Equal(t, 2, s.server.calls())

	s = newScene(t, good)
	_, err = s.plan(request())
	require.NoError(t, err)
	require.Zero(t, s.replies.probes, "no need of one")
}

// A store that takes a few bytes and not an answer is bounded like all that loses
// answers.
func TestStoreThatTakesNoAnswersIsBounded(t *testing.T) {
	s := newScene(t, good)
	s.replies.before = func() { s.replies.fails = errors.New("no space left") }
	var err error
	for range 4 {
		s.replies.fails = nil
		_, err = s.plan(request())
	}
	s.refusedAs(err, "answers_lost", "the last: replies_unreachable: ")
	require.Equal(t, 4, s.server.calls())
}

// Without the records nobody knows what was bought: nothing is.
func TestNothingIsBoughtWithoutTheRecords(t *testing.T) {
	s := newScene(t, good)
	s.spend.fails = &faults.Fault{Class: faults.Transient, Code: "spend_unreachable", Reason: "later"}
	_, err := s.plan(request())
	require.Equal(t, "spend_unreachable", faults.Name(err).Code)
	require.Zero(t, s.server.calls())
}

func TestTheStoreIsProbedWhereRepliesAre(t *testing.T) {
	store := &named{entries: map[string][]byte{}}
	require.NoError(t, model.StoredIn(store).Probe(t.Context(), "acme"))
	require.Len(t, store.entries, 1)
	require.NotEmpty(t, store.entries["acme replies/probe"])
	require.NoError(t, model.StoredIn(store).Probe(t.Context(), "acme"), "also when it is there")
	err := model.StoredIn(&named{entries: map[string][]byte{}, err: errors.New("PUT /secret")}).Probe(t.Context(), "acme")
	require.Equal(t, "replies_unreachable", faults.Name(err).Code)
	require.NotContains(t, err.Error(), "secret")
}
