package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/enginetest"
	"github.com/holdpoint/holdpoint/activities/planners/model/openai"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

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
			`{` + head + `"max_completion_tokens":500,"temperature":0,"response_format":{"type":"json_schema","json_schema":{"name":"plan","strict":false,"schema":` + enginetest.Schema + `}}}`,
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
				`"strict":false,"parameters":` + enginetest.Schema + `}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := openai.Defaults()
			c.Model, c.MaxOutputTokens = "m-1", 500
			tt.change(&c)
			call := enginetest.Sent(t, modelserver.OpenAI, func(base string) (model.Engine, error) {
				c.BaseURL = base
				return openai.New(c)
			})
			require.JSONEq(t, tt.want, string(call.Body))
			if c.Structured == provider.JSONSchema || c.Structured == provider.Tool {
				require.Contains(t, string(call.Body), enginetest.Schema, "byte for byte")
			}
		})
	}
}
