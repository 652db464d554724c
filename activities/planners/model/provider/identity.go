package provider

import (
	"encoding/json"
	"fmt"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Identity is what decides on a reply beside the conversation. There is no key
// in it, nor anything that changes how a call is made and not what it asks.
type Identity struct {
	Provider        string     `json:"provider"`
	BaseURL         string     `json:"base_url"`
	Model           string     `json:"model"`
	Temperature     *float64   `json:"temperature,omitempty"`
	MaxOutputTokens int64      `json:"max_output_tokens"`
	Structured      Structured `json:"structured"`
	TokenLimit      string     `json:"token_limit,omitempty"` // the name of the limit's field, where there are two
	APIVersion      string     `json:"api_version,omitempty"` // where a request names one
}

// Identity is the client's, of a provider of that name.
func (c *Client) Identity(provider string) Identity {
	return Identity{
		Provider: provider, BaseURL: c.Base(), Model: c.config.Model, Temperature: c.config.Temperature,
		MaxOutputTokens: c.config.MaxOutputTokens, Structured: c.config.Structured,
	}
}

// JSON is the identity's canonical form.
func (i Identity) JSON() (json.RawMessage, error) {
	raw, err := json.Marshal(i)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	return plan.Canonicalize(raw)
}
