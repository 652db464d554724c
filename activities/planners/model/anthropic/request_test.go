package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/anthropic"
	"github.com/holdpoint/holdpoint/activities/planners/model/enginetest"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

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
				`"tools":[{"name":"submit_plan","description":"Hands in the reply. The input is the whole of it.","input_schema":` + enginetest.Schema + `}]}`,
		},
		"json_schema": {
			func(c *anthropic.Config) { c.Structured = provider.JSONSchema },
			`{` + head + `"max_tokens":500,"output_config":{"format":{"type":"json_schema","schema":` + enginetest.Schema + `}}}`,
		},
		"text": {func(c *anthropic.Config) { c.Structured = provider.Text }, `{` + head + `"max_tokens":500}`},
		"a long reply": { // which the SDK refuses without a timeout of its own
			func(c *anthropic.Config) { c.Structured, c.MaxOutputTokens = provider.Text, 120_000 },
			`{` + head + `"max_tokens":120000}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := anthropic.Defaults()
			c.Model, c.MaxOutputTokens = "m-1", 500
			tt.change(&c)
			call := enginetest.Sent(t, modelserver.Anthropic, func(base string) (model.Engine, error) {
				c.BaseURL = base
				return anthropic.New(c)
			})
			require.JSONEq(t, tt.want, string(call.Body))
			if c.Structured != provider.Text {
				require.Contains(t, string(call.Body), enginetest.Schema, "byte for byte")
			}
		})
	}
}
