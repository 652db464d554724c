package openai_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/enginetest"
	"github.com/holdpoint/holdpoint/activities/planners/model/openai"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

// What holds for a server of this API, whichever it is: the scripted one, and a
// real one where HOLDPOINT_TEST_OPENAI_URL has its base URL (with
// HOLDPOINT_TEST_OPENAI_MODEL, and a key in HOLDPOINT_TEST_OPENAI_KEY when it wants
// one). A real one says nothing about how good a model is: the replies of a model
// with random weights pass. It is optional by its nature, so that it is no test
// that is skipped where it is missing.
func TestAnyServer(t *testing.T) {
	plan := modelserver.Answer{Text: `{"actions":[]}`}
	scripted, err := modelserver.Start(modelserver.Options{Script: modelserver.Script{Answers: []modelserver.Answer{plan}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, scripted.Close()) })

	t.Run("scripted", func(t *testing.T) { anyServer(t, scripted.OpenAIURL(), "m-1", secrets.Text{}) })
	base, name := os.Getenv("HOLDPOINT_TEST_OPENAI_URL"), os.Getenv("HOLDPOINT_TEST_OPENAI_MODEL")
	if base == "" {
		return
	}
	var key secrets.Text
	if os.Getenv("HOLDPOINT_TEST_OPENAI_KEY") != "" {
		key, err = secrets.Parse("${env:HOLDPOINT_TEST_OPENAI_KEY}")
		require.NoError(t, err)
	}
	t.Run("real", func(t *testing.T) { anyServer(t, base, name, key) })
}

func anyServer(t *testing.T, base, name string, key secrets.Text) {
	for _, structured := range []provider.Structured{provider.JSONSchema, provider.JSONObject, provider.Tool, provider.Text} {
		t.Run(string(structured), func(t *testing.T) {
			c := openai.Defaults()
			c.BaseURL, c.Model, c.Key, c.Structured, c.MaxOutputTokens, c.Timeout = base, name, key, structured, 256, 2*time.Minute
			engine, err := openai.New(c)
			require.NoError(t, err)
			body, err := engine.Ask(t.Context(), enginetest.Conversation())
			require.NoError(t, err)
			reply, err := engine.Read(body)
			require.NoError(t, err)
			require.NotEmpty(t, reply.ModelID)
			require.Positive(t, reply.Usage.InputTokens)
			require.Positive(t, reply.Usage.OutputTokens)
			require.LessOrEqual(t, reply.Usage.OutputTokens, int64(256))
			require.Contains(t, []model.Stop{model.Ended, model.Cut, model.Other}, reply.Stop)
			if reply.Stop == model.Ended && structured == provider.JSONSchema {
				var object struct{ Actions []any }
				require.NoError(t, json.Unmarshal([]byte(reply.Text), &object), reply.Text)
				require.NotNil(t, object.Actions)
			}
		})
	}
}
