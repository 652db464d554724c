package enginetest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

// counts are what a planner counts, by counter and reason.
type counts map[string]int64

// Add implements model.Meter.
func (c counts) Add(_ context.Context, counter model.Counter, reason string, n int64) {
	c[strings.TrimSuffix(string(counter)+" "+reason, " ")] += n
}

// Counts is that each call, and each reply, is counted once, however many attempts find
// it stored; and that each call that brought no reply counts as one.
func Counts(t *testing.T, s Subject) {
	const plan = `{"format":"holdpoint.actions/1","actions":[{"id":"a","tool":"note","parameters":{}}]}`
	html := modelserver.Answer{Body: "<html>busy</html>"}
	for name, tt := range map[string]struct {
		answers []modelserver.Answer
		want    counts // beside stored replies and tokens
	}{
		"pages, and what is no plan": {
			[]modelserver.Answer{html, html, {Text: "sure"}, {Text: plan}},
			counts{"model_calls": 4, "model_no_answers no_model_answer": 2, "model_asked_again form": 1},
		},
		"errors": {
			[]modelserver.Answer{{Status: 500, Times: 7}, {Text: plan}},
			counts{"model_calls": 8, "model_no_answers http_500": 7},
		},
		"lost answers": {
			[]modelserver.Answer{{Text: "sure"}, {Connection: modelserver.ResetBefore, Times: 2}, {Text: plan}},
			counts{"model_calls": 4, "model_no_answers answer_cut": 2, "model_asked_again form": 1},
		},
		"empty replies": {
			[]modelserver.Answer{{}, {Text: plan}},
			counts{"model_calls": 2, "model_no_answers empty_reply": 1},
		},
		"a plan": {[]modelserver.Answer{{Text: plan}}, counts{"model_calls": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			scene := s.Start(t, nil, tt.answers...)
			got := counts{}
			scene.Meter = got
			err := error(&faults.Fault{})
			for attempt := 0; err != nil; attempt++ { // as Temporal does
				require.Less(t, attempt, 20, err)
				_, err = scene.Plan()
			}
			for range 3 { // a worker that dies after the plan is made
				_, err = scene.Plan()
				require.NoError(t, err)
			}
			for _, other := range []model.Counter{model.StoredHits, model.InputTokens, model.OutputTokens} {
				delete(got, string(other))
			}
			require.Equal(t, tt.want, got)
			require.Len(t, scene.Server.Calls(), int(tt.want["model_calls"]))
		})
	}
}
