package openai

import (
	"errors"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

// DefaultBaseURL is OpenAI's own API.
const DefaultBaseURL = "https://api.openai.com/v1"

// The names of the field that bounds a reply. The second is the older one: some
// servers know only it, and OpenAI's reasoning models refuse it.
const (
	MaxCompletionTokens = "max_completion_tokens"
	MaxTokens           = "max_tokens"
)

// Config is an engine's.
type Config struct {
	provider.Config `yaml:",inline"`

	// TokenLimit is the name of the field that carries MaxOutputTokens.
	TokenLimit string `yaml:"token_limit"`
}

// Defaults are what a configuration is laid over.
func Defaults() Config {
	c := Config{Config: provider.Defaults(), TokenLimit: MaxCompletionTokens}
	c.BaseURL, c.Structured = DefaultBaseURL, provider.JSONSchema
	return c
}

// Validate checks the settings without looking at files, secrets or the
// network. The error joins one for each mistake, in the form "field: reason".
func (c Config) Validate() error {
	err := c.Config.Validate(provider.JSONSchema, provider.JSONObject, provider.Tool, provider.Text)
	if c.TokenLimit != MaxCompletionTokens && c.TokenLimit != MaxTokens {
		err = errors.Join(err, fmt.Errorf("token_limit: use %s or %s", MaxCompletionTokens, MaxTokens))
	}
	return err
}
