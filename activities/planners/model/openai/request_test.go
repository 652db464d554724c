package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/openai"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

// schema has what maps would lose: the order of members, and a number's digits.
const schema = `{"type":"object","properties":{"z":{"maximum":12345678901234567890},"a":{}}}`

func TestRequests(t *testing.T) {
	zero := 0.0
	head := `"messages":[{"content":"be brief","role":"system"},{"content":"plan <b>","role":"user"},` +
		`{"content":"{}","role":"assistant"},{"content":"again","role":"user"}],"model":"m-1",`
	for name, tt := range map[string]struct {
		change func(*openai.Config)
		want   string
	}{
		"json_schema": {
			func(c *openai.Config) { c.Temperature = &zero },
			`{` + head + `"max_completion_tokens":500,"temperature":0,"response_format":{"type":"json_schema","json_schema":{"name":"plan","strict":false,"schema":` + schema + `}}}`,
		},
		"json_object": {
			func(c *openai.Config) { c.Structured, c.TokenLimit = provider.JSONObject, openai.MaxTokens },
			`{` + head + `"max_tokens":500,"response_format":{"type":"json_object"}}`,
		},
		"text": {func(c *openai.Config) { c.Structured = provider.Text }, `{` + head + `"max_completion_tokens":500}`},
		"tool": {
			func(c *openai.Config) { c.Structured = provider.Tool },
			`{` + head + `"max_completion_tokens":500,"parallel_tool_calls":false,"tool_choice":{"type":"function","function":{"name":"submit_plan"}},` +
				`"tools":[{"type":"function","function":{"name":"submit_plan","description":"Hands in the reply. The arguments are the whole of it.",` +
				`"strict":false,"parameters":` + schema + `}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, err := modelserver.Start(modelserver.Options{Script: modelserver.Script{Answers: []modelserver.Answer{{Text: "{}"}}}})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, server.Close()) })
			c := openai.Defaults()
			c.BaseURL, c.Model, c.MaxOutputTokens = server.OpenAIURL(), "m-1", 500
			tt.change(&c)
			engine, err := openai.New(c)
			require.NoError(t, err)
			_, err = engine.Ask(t.Context(), model.Conversation{
				System:   "be brief",
				Messages: []model.Message{{Role: model.User, Text: "plan <b>"}, {Role: model.Assistant, Text: "{}"}, {Role: model.User, Text: "again"}},
				Schema:   json.RawMessage(schema),
			})
			require.NoError(t, err)
			call := server.Calls()[0]
			require.Equal(t, modelserver.OpenAI, call.API)
			require.JSONEq(t, tt.want, string(call.Body))
			if c.Structured == provider.JSONSchema || c.Structured == provider.Tool {
				require.Contains(t, string(call.Body), schema, "byte for byte")
			}
		})
	}
}
