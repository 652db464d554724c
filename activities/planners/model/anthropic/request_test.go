package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/anthropic"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

// schema has what maps would lose: the order of members, and a number's digits.
const schema = `{"type":"object","properties":{"z":{"maximum":12345678901234567890},"a":{}}}`

func TestRequests(t *testing.T) {
	zero := 0.0
	head := `"messages":[{"content":[{"text":"plan <b>","type":"text"}],"role":"user"},{"content":[{"text":"{}","type":"text"}],"role":"assistant"},` +
		`{"content":[{"text":"again","type":"text"}],"role":"user"}],"system":[{"text":"be brief","type":"text"}],"model":"m-1",`
	for name, tt := range map[string]struct {
		change func(*anthropic.Config)
		want   string
	}{
		"tool": {
			func(c *anthropic.Config) { c.Temperature, c.APIVersion = &zero, anthropic.Version2023 },
			`{` + head + `"max_tokens":500,"temperature":0,"tool_choice":{"type":"tool","name":"submit_plan","disable_parallel_tool_use":true},` +
				`"tools":[{"name":"submit_plan","description":"Hands in the reply. The input is the whole of it.","input_schema":` + schema + `}]}`,
		},
		"json_schema": {
			func(c *anthropic.Config) { c.Structured = provider.JSONSchema },
			`{` + head + `"max_tokens":500,"output_config":{"format":{"type":"json_schema","schema":` + schema + `}}}`,
		},
		"text": {func(c *anthropic.Config) { c.Structured = provider.Text }, `{` + head + `"max_tokens":500}`},
		"a long reply": { // which the SDK refuses without a timeout of its own
			func(c *anthropic.Config) { c.Structured, c.MaxOutputTokens = provider.Text, 120_000 },
			`{` + head + `"max_tokens":120000}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, err := modelserver.Start(modelserver.Options{Script: modelserver.Script{Answers: []modelserver.Answer{{Text: "{}"}}}})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, server.Close()) })
			c := anthropic.Defaults()
			c.BaseURL, c.Model, c.MaxOutputTokens = server.AnthropicURL(), "m-1", 500
			tt.change(&c)
			engine, err := anthropic.New(c)
			require.NoError(t, err)
			_, err = engine.Ask(t.Context(), model.Conversation{
				System:   "be brief",
				Messages: []model.Message{{Role: model.User, Text: "plan <b>"}, {Role: model.Assistant, Text: "{}"}, {Role: model.User, Text: "again"}},
				Schema:   json.RawMessage(schema),
			})
			require.NoError(t, err)
			call := server.Calls()[0]
			require.Equal(t, modelserver.Anthropic, call.API)
			require.JSONEq(t, tt.want, string(call.Body))
			if c.Structured != provider.Text {
				require.Contains(t, string(call.Body), schema, "byte for byte")
			}
		})
	}
}
