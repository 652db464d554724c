package anthropic

import (
	"errors"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

// DefaultBaseURL is Anthropic's own API.
const DefaultBaseURL = "https://api.anthropic.com"

// The versions of the API (header anthropic-version). The newer one, of the SDK,
// has no temperature any more, and takes the key as a bearer token; the older one
// takes it in X-Api-Key, as servers that only speak this API's form expect it.
const (
	Version2026 = "2026-10-21"
	Version2023 = "2023-06-01"
)

// Config is an engine's.
type Config struct {
	provider.Config `yaml:",inline"`

	// APIVersion is Version2026 or Version2023.
	APIVersion string `yaml:"api_version"`
}

// Defaults are what a configuration is laid over.
func Defaults() Config {
	c := Config{Config: provider.Defaults(), APIVersion: Version2026}
	c.BaseURL, c.Structured = DefaultBaseURL, provider.Tool
	return c
}

// Validate checks the settings without looking at files, secrets or the
// network. The error joins one for each mistake, in the form "field: reason".
func (c Config) Validate() error {
	err := c.Config.Validate(provider.Tool, provider.JSONSchema, provider.Text)
	switch {
	case c.APIVersion != Version2026 && c.APIVersion != Version2023:
		err = errors.Join(err, fmt.Errorf("api_version: use %s or %s", Version2026, Version2023))
	case c.Temperature != nil && c.APIVersion == Version2026:
		err = errors.Join(err, fmt.Errorf("temperature: this version of the API has none; leave it out, or set api_version to %s", Version2023))
	case c.Temperature != nil && *c.Temperature > 1:
		err = errors.Join(err, errors.New("temperature: use a number from 0 to 1"))
	}
	return err
}
