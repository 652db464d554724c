package openai

import (
	"encoding/json"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

// completion is an answer, as far as it is read.
type completion struct {
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Error   json.RawMessage `json:"error"`
	Usage   json.RawMessage `json:"usage"`
}

type choice struct {
	Message      *message        `json:"message"`
	FinishReason string          `json:"finish_reason"`
	Error        json.RawMessage `json:"error"` // of a router, when the model behind it failed
}

type message struct {
	Content      json.RawMessage `json:"content"` // a text, null, or with some servers a list of parts
	Refusal      string          `json:"refusal"`
	ToolCalls    []toolCall      `json:"tool_calls"`
	FunctionCall json.RawMessage `json:"function_call"` // the older form, which was not asked for
}

type toolCall struct {
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// Read implements model.Engine, as [provider.Client.Settle] says.
func (e *Engine) Read(body []byte) (model.Reply, error) {
	var c completion
	if err := e.client.Open(body, &c); err != nil {
		return model.Reply{}, err
	}
	switch {
	case provider.Given(c.Error):
		return model.Reply{}, e.client.ErrorAnswer(c.Error)
	case len(c.Choices) == 0:
		return model.Reply{}, e.client.NoAnswer("answers without any choice")
	case provider.Given(c.Choices[0].Error):
		return model.Reply{}, e.client.ErrorAnswer(c.Choices[0].Error)
	case c.Choices[0].Message == nil:
		return model.Reply{}, e.client.NoAnswer("answers with a choice that has no message")
	}
	first := c.Choices[0]
	said, ok := first.said()
	if !ok {
		return model.Reply{}, e.client.NoAnswer("answers with a message of another form than a model's")
	}
	said.Unasked = said.Unasked || len(c.Choices) > 1
	text, end := e.client.Settle(said)
	return model.Reply{Text: text, Refusal: said.Refusal, Stop: end, ModelID: c.Model, Usage: usage(c.Usage)}, nil
}

// said is a choice that has a message. Reasoning, which some servers send as
// parts of their own, is no part of the reply. It reports false for content of
// another form.
func (c *choice) said() (provider.Said, bool) {
	m := c.Message
	s := provider.Said{
		Refusal: m.Refusal, Unasked: provider.Given(m.FunctionCall),
		Stop: stop(c.FinishReason), ByCall: c.FinishReason == "tool_calls",
	}
	for _, call := range m.ToolCalls {
		s.Calls = append(s.Calls, provider.ToolCall(call.Function))
	}
	if !provider.Given(m.Content) || json.Unmarshal(m.Content, &s.Text) == nil {
		return s, true
	}
	var parts []part
	if json.Unmarshal(m.Content, &parts) != nil {
		return provider.Said{}, false
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			s.Text += p.Text
		case "refusal":
			s.Refusal += p.Refusal
		case "thinking", "reasoning":
		default:
			s.Unasked = true
		}
	}
	return s, true
}

// stop is why a choice ended, by the API's reference of finish_reason.
func stop(reason string) model.Stop {
	switch reason {
	case "stop":
		return model.Ended
	case "length":
		return model.Cut
	case "content_filter":
		return model.Filtered
	default:
		return model.Other
	}
}

// usage is what the server counted. Reasoning is part of completion_tokens.
func usage(raw json.RawMessage) model.Usage {
	var u struct {
		Prompt     json.RawMessage `json:"prompt_tokens"`
		Completion json.RawMessage `json:"completion_tokens"`
	}
	if json.Unmarshal(raw, &u) != nil {
		return model.Usage{}
	}
	return model.Usage{InputTokens: provider.Tokens(u.Prompt), OutputTokens: provider.Tokens(u.Completion)}
}
