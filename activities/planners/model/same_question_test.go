package model_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners/model"
)

// mistaken are replies with several mistakes each, which a validator meets in an
// order of its own.
func mistaken(t *testing.T) map[string]string {
	return map[string]string{
		"two unknown fields":  with(t, `"id":"tell"`, `"id":"tell","risk":"low","ttl":1`),
		"five unknown fields": with(t, `"id":"tell"`, `"id":"tell","risk":"low","approver":"me","ttl":1,"policy":{},"key":"x"`),
		"in two actions":      with(t, `"id":"tell"`, `"id":"te ll","risk":"low"`),
		"two wrong types": `{"format":"holdpoint.actions/1","actions":[{"id":"a","tool":"page","into":"kb",` +
			`"parameters":{"page":1,"content":2}}]}`,
		"five of parameters": `{"format":"holdpoint.actions/1","actions":[{"id":"a","tool":"page","into":"kb",` +
			`"parameters":{"e":1,"d":2,"c":3,"page":1,"content":2}}]}`,
	}
}

// The question after a reply that cannot be used is the same at every attempt, so
// that the reply to it, once stored, is found by all of them.
func TestARefusedReplyLeadsToOneQuestionHoweverManyMistakesItHas(t *testing.T) {
	for name, bad := range mistaken(t) {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, bad, good)
			for range 50 {
				_, err := s.plan(request())
				require.NoError(t, err)
			}
			require.Equal(t, 2, s.server.calls(), "50 attempts over one shelf")
		})
	}
}

// Tries bounds the calls of that question as of any other.
func TestTriesHoldForTheQuestionAfterARefusedReply(t *testing.T) {
	for name, bad := range mistaken(t) {
		t.Run(name, func(t *testing.T) {
			s := newSceneWithin(t, model.Limits{Tries: 2}, bad, cut())
			_, err := s.attempts(request())
			s.refusedAs(err, "answers_lost", "called 2 times for one question")
			require.Equal(t, 3, s.server.calls())
			for range 20 {
				_, err = s.plan(request())
				s.refusedAs(err, "answers_lost", "")
			}
			require.Equal(t, 3, s.server.calls())
		})
	}
}

// Each worker dies when its first reply is stored.
func TestWorkersThatDieAfterEachStorePayOnce(t *testing.T) {
	for name, bad := range mistaken(t) {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, bad, good)
			s.replies.after = func() { panic(errors.New("SIGKILL")) }
			require.Panics(t, func() { killed(s) })
			require.Panics(t, func() { killed(s) })
			for range 20 {
				_, err := s.plan(request())
				require.NoError(t, err)
			}
			require.Equal(t, 2, s.server.calls())
			require.Len(t, s.spend.settled, 2)
		})
	}
}
