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

func subject() enginetest.Subject {
	return enginetest.Subject{
		API:      modelserver.Anthropic,
		Defaults: func() provider.Config { return anthropic.Defaults().Config },
		New: func(c provider.Config) (model.Engine, error) {
			return anthropic.New(anthropic.Config{Config: c, APIVersion: anthropic.Version2026})
		},
	}
}

func TestC032_RetryAfterAsDatesAndAsRubbish(t *testing.T) { enginetest.RetryAfter(t, subject()) }
func TestC033_OneTableForAllStatuses(t *testing.T)        { enginetest.Statuses(t, subject()) }
func TestC034_CertificatesAndSchemes(t *testing.T)        { enginetest.TLS(t, subject()) }
func TestC070_BodiesThatAreNoAnswer(t *testing.T)         { enginetest.NoAnswers(t, subject()) }
func TestC070_Replies(t *testing.T)                       { enginetest.Replies(t, subject()) }
func TestC079_C081_NoSecretsInErrors(t *testing.T)        { enginetest.NoSecretsInErrors(t, subject()) }
func TestC079_KeysInAnswers(t *testing.T)                 { enginetest.KeysInAnswers(t, subject(), keysInAnswers()) }
func TestConnections(t *testing.T)                        { enginetest.Connections(t, subject()) }
func TestBodiesAsTheyCame(t *testing.T)                   { enginetest.BodiesAsTheyCame(t, subject()) }
func TestCallsAndRepliesAreCountedOnce(t *testing.T)      { enginetest.Counts(t, subject()) }
func TestKeys(t *testing.T)                               { enginetest.Keys(t, subject()) }
func TestEnvironment(t *testing.T)                        { enginetest.Environment(t, subject()) }

func TestNewRefuses(t *testing.T) {
	one, over := 1.0, 1.1
	for says, change := range map[string]func(*anthropic.Config){
		"base_url":             func(c *anthropic.Config) { c.BaseURL = "https://u:p@x" },
		"temperature: use":     func(c *anthropic.Config) { c.Temperature, c.APIVersion = &over, anthropic.Version2023 },
		"temperature: this v":  func(c *anthropic.Config) { c.Temperature = &one },
		"api_version: use":     func(c *anthropic.Config) { c.APIVersion = "" },
		"structured: use one":  func(c *anthropic.Config) { c.Structured = provider.JSONObject },
		"ca_file: ":            func(c *anthropic.Config) { c.CAFile = "/nowhere" },
		"output_tokens: ":      func(c *anthropic.Config) { c.MaxOutputTokens = -1 },
		"tool, json_schema, t": func(c *anthropic.Config) { c.Structured = "" },
	} {
		c := anthropic.Defaults()
		c.Model = "m"
		require.NoError(t, c.Validate())
		change(&c)
		_, err := anthropic.New(c)
		require.ErrorContains(t, err, says)
	}
}

func TestIdentity(t *testing.T) {
	c := anthropic.Defaults()
	c.Model, c.Key = "m-1", enginetest.KeyFile(t, enginetest.Key)
	engine, err := anthropic.New(c)
	require.NoError(t, err)
	require.Equal(t, `{"api_version":"2026-10-21","base_url":"https://api.anthropic.com","max_output_tokens":16000,"model":"m-1","provider":"anthropic","structured":"tool"}`,
		string(engine.Identity()))
}

func TestOlderVersion(t *testing.T) {
	server, err := modelserver.Start(modelserver.Options{Script: modelserver.Script{Answers: []modelserver.Answer{{Text: "{}"}}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	for version, want := range map[string][2]string{
		anthropic.Version2026: {"Bearer " + enginetest.Key, ""}, anthropic.Version2023: {"", enginetest.Key},
	} {
		c := anthropic.Defaults()
		c.BaseURL, c.Model, c.Key, c.APIVersion = server.AnthropicURL(), "m-1", enginetest.KeyFile(t, enginetest.Key), version
		engine, err := anthropic.New(c)
		require.NoError(t, err)
		_, err = engine.Ask(t.Context(), enginetest.Conversation())
		require.NoError(t, err)
		calls := server.Calls()
		sent := calls[len(calls)-1].Header
		require.Equal(t, []string{version}, sent.Values("Anthropic-Version"))
		require.Equal(t, want, [2]string{sent.Get("Authorization"), sent.Get("X-Api-Key")})
	}
}
