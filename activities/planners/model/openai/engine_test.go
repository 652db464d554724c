package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/enginetest"
	"github.com/holdpoint/holdpoint/activities/planners/model/openai"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

func subject() enginetest.Subject {
	return enginetest.Subject{
		API:      modelserver.OpenAI,
		Defaults: func() provider.Config { return openai.Defaults().Config },
		New: func(c provider.Config) (model.Engine, error) {
			return openai.New(openai.Config{Config: c, TokenLimit: openai.MaxCompletionTokens})
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

// A 429 that waiting does not help, and a request that is too long, are told
// apart from others of their status.
func TestCodesThatDecide(t *testing.T) {
	for _, tt := range []struct {
		status int
		words  modelserver.Error
		class  faults.Class
		says   string
	}{
		{429, modelserver.Error{Type: "insufficient_quota", Code: "insufficient_quota"}, faults.Permanent, "balance"},
		{429, modelserver.Error{Type: "insufficient_quota", Code: "some_newer_limit"}, faults.Permanent, "balance"},
		{429, modelserver.Error{Type: "requests", Code: "project_spend_limit_exceeded"}, faults.Permanent, "balance"},
		{429, modelserver.Error{Type: "tokens", Code: "rate_limit_exceeded"}, faults.Throttled, "wait"},
		{400, modelserver.Error{Code: "context_length_exceeded"}, faults.Permanent, "budget of tokens"},
	} {
		scene := subject().Start(t, nil, modelserver.Answer{Status: tt.status, Error: &tt.words, RetryAfter: "7"})
		_, err := scene.Ask()
		require.Equal(t, tt.class.String(), faults.ClassOf(err).String(), tt.words)
		require.ErrorContains(t, err, tt.says)
		require.ErrorContains(t, err, tt.words.Code)
	}
}

func TestNewRefuses(t *testing.T) {
	number := func(f float64) *float64 { return &f }
	for says, change := range map[string]func(*openai.Config){
		"base_url: say":         func(c *openai.Config) { c.BaseURL = "" },
		"no http or https URL":  func(c *openai.Config) { c.BaseURL = "ftp://x" },
		"leave user and":        func(c *openai.Config) { c.BaseURL = "https://u:p@x/v1" },
		"leave query":           func(c *openai.Config) { c.BaseURL = "https://x/v1?key=k" },
		"leave query and":       func(c *openai.Config) { c.BaseURL = "https://x/v1#" },
		"model: name":           func(c *openai.Config) { c.Model = "" },
		"no name of a model":    func(c *openai.Config) { c.Model = "a\nb" },
		"temperature: use":      func(c *openai.Config) { c.Temperature = number(2.1) },
		"output_tokens":         func(c *openai.Config) { c.MaxOutputTokens = 0 },
		"timeout: use":          func(c *openai.Config) { c.Timeout = 0 },
		"max_answer_bytes":      func(c *openai.Config) { c.MaxAnswerBytes = 1 },
		"structured: use one":   func(c *openai.Config) { c.Structured = "yaml" },
		"token_limit: use":      func(c *openai.Config) { c.TokenLimit = "" },
		"ca_file: ":             func(c *openai.Config) { c.CAFile = "/nowhere" },
		"no certificate in PEM": func(c *openai.Config) { c.CAFile = "engine_test.go" },
	} {
		c := openai.Defaults()
		c.Model = "m"
		require.NoError(t, c.Validate())
		change(&c)
		_, err := openai.New(c)
		require.ErrorContains(t, err, says)
	}
}

func TestIdentity(t *testing.T) {
	half := 0.5
	c := openai.Defaults()
	c.BaseURL, c.Model, c.Key, c.Temperature = "HTTPS://Models.Example.com/v1/", "m-1", enginetest.KeyFile(t, enginetest.Key), &half
	engine, err := openai.New(c)
	require.NoError(t, err)
	require.Equal(t, `{"base_url":"https://models.example.com/v1","max_output_tokens":16000,"model":"m-1","provider":"openai",`+
		`"structured":"json_schema","temperature":0.5,"token_limit":"max_completion_tokens"}`, string(engine.Identity()))
}
