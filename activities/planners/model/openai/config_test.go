package openai_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/planners/model/openai"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

func TestConfigIsReadFromYAML(t *testing.T) {
	read := func(text string) (openai.Config, error) {
		var node yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(text), &node))
		c := openai.Defaults()
		err := strictyaml.Decode("f.yaml", &node, &c)
		return c, err
	}
	c, err := read(`
base_url: http://127.0.0.1:8080/v1
model: local
key: ${env:MODEL_KEY}
ca_file: ca.pem
temperature: 0
output_tokens: 4000
timeout: 2m
max_answer_bytes: 100000
structured: json_object
token_limit: max_tokens
`)
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	require.Equal(t, "${env:MODEL_KEY}", c.Key.String())
	require.Zero(t, *c.Temperature)
	require.Equal(t, 2*time.Minute, c.Timeout)
	require.Equal(t, provider.JSONObject, c.Structured)
	require.Equal(t, openai.MaxTokens, c.TokenLimit)
	require.Equal(t, []any{"http://127.0.0.1:8080/v1", "local", "ca.pem", int64(4000), int64(100000)},
		[]any{c.BaseURL, c.Model, c.CAFile, c.MaxOutputTokens, c.MaxAnswerBytes})

	_, err = read("temprature: 0")
	require.ErrorContains(t, err, `f.yaml:1: unknown field "temprature"`)

	c, err = read("key: sk-plain\nmodel: m")
	require.NoError(t, err)
	err = c.Validate()
	require.ErrorContains(t, err, "key: write a reference")
	require.NotContains(t, err.Error(), "sk-plain")
}
