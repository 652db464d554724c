package enginetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

// BodiesAsTheyCame is that an answer is kept byte for byte, whatever it says and
// whatever type it names.
func BodiesAsTheyCame(t *testing.T, s Subject) {
	for _, body := range []string{
		" { \"b\": 1.0e2, \"a\": \"\\u00e9\", \"a\": 2 }\n\n",
		"<html>busy</html>",
		"data: {}\n\ndata: [DONE]\n\n",
		"\xff\xfe not UTF-8 \x00",
		`{"error":{"message":"overloaded"}}`,
		strings.Repeat("x", 1<<20),
	} {
		for _, mediaType := range []string{"application/json", "text/html", "text/event-stream", "no type; at all"} {
			for _, status := range []int{200, 201} {
				scene := s.Start(t, nil, modelserver.Answer{Status: status, Body: body, ContentType: mediaType})
				got, err := scene.Ask()
				require.NoError(t, err)
				require.Equal(t, body, string(got), mediaType)
			}
		}
	}
}

// NoAnswers are bodies with a status of success that no model said.
func NoAnswers(t *testing.T, s Subject) {
	for name, answer := range map[string]modelserver.Answer{
		"no choices":   {NoChoices: true},
		"overloaded":   {Body: `{"error":{"message":"overloaded"}}`, ContentType: "application/json"},
		"an error":     {Error: &modelserver.Error{Message: "BODY-SECRET"}},
		"html":         {Body: "<!DOCTYPE html><html>BODY-SECRET</html>"},
		"html as json": {Body: "<html>BODY-SECRET</html>", ContentType: "application/json"},
		"sse":          {Text: `{"actions":[]}`, Stream: true},
		"blank":        {Body: " \n", ContentType: "application/json"},
		"null":         {Body: "null", ContentType: "application/json"},
		"a list":       {Body: "[]", ContentType: "application/json"},
		"an object":    {Body: "{}", ContentType: "application/json"},
		"half":         {Body: `{"model":"m","choices":[{"mess`, ContentType: "application/json"},
		"two":          {Body: `{"model":"m"} {"model":"m"}`, ContentType: "application/json"},
		"numbers":      {Body: `{"model":1,"choices":2,"content":3}`, ContentType: "application/json"},
		"no UTF-8":     {Body: "{\"model\":\"\xff\"}", ContentType: "application/json"},
		"deep":         {Body: strings.Repeat(`{"choices":`, 20_000), ContentType: "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			scene := s.Start(t, nil, answer)
			reply, err := scene.Reply()
			RequireFault(t, err, faults.Transient, "no_model_answer")
			require.Zero(t, reply)
		})
	}
}

// Replies are those that both APIs can give.
func Replies(t *testing.T, s Subject) {
	usage := &modelserver.Usage{Input: 1200, Output: 34}
	counted := model.Usage{InputTokens: 1200, OutputTokens: 34}
	for name, tt := range map[string]struct {
		answer modelserver.Answer
		want   model.Reply
	}{
		"a plan": {
			modelserver.Answer{Text: `{"actions":[]}`, Usage: usage},
			model.Reply{Text: `{"actions":[]}`, Stop: model.Ended, ModelID: "scripted-1", Usage: counted},
		},
		"another model": {
			modelserver.Answer{Text: "x", Model: "asked-1-20260101", Usage: usage},
			model.Reply{Text: "x", Stop: model.Ended, ModelID: "asked-1-20260101", Usage: counted},
		},
		"empty": {modelserver.Answer{Usage: usage}, model.Reply{Stop: model.Ended, ModelID: "scripted-1", Usage: counted}},
		"cut": {
			modelserver.Answer{Text: `{"actions":[`, Finish: modelserver.FinishLength, Usage: usage},
			model.Reply{Text: `{"actions":[`, Stop: model.Cut, ModelID: "scripted-1", Usage: counted},
		},
		"an end that nobody knows": {
			modelserver.Answer{Text: "x", Finish: "moonrise", Usage: usage},
			model.Reply{Text: "x", Stop: model.Other, ModelID: "scripted-1", Usage: counted},
		},
		"an odd usage": {
			modelserver.Answer{Text: "x", Usage: &modelserver.Usage{Input: -5, Output: 1 << 60}},
			model.Reply{Text: "x", Stop: model.Ended, ModelID: "scripted-1"},
		},
		"letters of all kinds": {
			modelserver.Answer{Text: "客户 <b>é</b> \u2028\x00\n", Usage: usage},
			model.Reply{Text: "客户 <b>é</b> \u2028\x00\n", Stop: model.Ended, ModelID: "scripted-1", Usage: counted},
		},
		"a call of a tool that is not ours": {
			modelserver.Answer{Tool: &modelserver.Tool{Name: "shell", Arguments: `{"actions":[]}`}, Usage: usage},
			model.Reply{Stop: model.Other, ModelID: "scripted-1", Usage: counted},
		},
	} {
		t.Run(name, func(t *testing.T) {
			scene := s.Start(t, nil, tt.answer)
			got, err := scene.Reply()
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.Len(t, scene.Server.Calls(), 1)
		})
	}
	t.Run("a refusal", func(t *testing.T) {
		scene := s.Start(t, nil, modelserver.Answer{Refusal: "I can't help with that."})
		got, err := scene.Reply()
		require.NoError(t, err)
		require.Equal(t, "I can't help with that.", got.Refusal, "the words are kept")
	})
}
