package anthropic

import (
	"encoding/json"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

// answer is an answer, as far as it is read.
type answer struct {
	Type        string          `json:"type"`
	Model       string          `json:"model"`
	Content     []block         `json:"content"`
	StopReason  string          `json:"stop_reason"`
	StopDetails json.RawMessage `json:"stop_details"`
	Error       json.RawMessage `json:"error"`
	Usage       json.RawMessage `json:"usage"`
}

type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// reasonRefusal is the stop reason of a model that will not.
const reasonRefusal = "refusal"

// Read implements model.Engine, as [provider.Client.Settle] says.
func (e *Engine) Read(body []byte) (model.Reply, error) {
	var a answer
	if err := e.client.Open(body, &a); err != nil {
		return model.Reply{}, err
	}
	switch {
	case provider.Given(a.Error):
		return model.Reply{}, e.client.ErrorAnswer(a.Error)
	case a.Type != "message":
		return model.Reply{}, e.client.NoAnswer("answers with something that is no message")
	case len(a.Content) == 0 && a.StopReason == "":
		return model.Reply{}, e.client.NoAnswer("answers with a message that has no content, and no reason to end")
	}
	said := a.said()
	text, end := e.client.Settle(said)
	return model.Reply{Text: text, Refusal: said.Refusal, Stop: end, ModelID: a.Model, Usage: usage(a.Usage)}, nil
}

// said is the content of a message, sorted. Thinking is no part of the reply.
func (a *answer) said() provider.Said {
	s := provider.Said{Stop: stop(a.StopReason), ByCall: a.StopReason == "tool_use"}
	for _, b := range a.Content {
		switch b.Type {
		case "text":
			s.Text += b.Text
		case "tool_use":
			s.Calls = append(s.Calls, provider.ToolCall{Name: b.Name, Arguments: string(b.Input)})
		case "thinking", "redacted_thinking":
		default:
			s.Unasked = true
		}
	}
	if a.StopReason == reasonRefusal {
		s.Refusal = refusal(s.Text, a.StopDetails)
	}
	return s
}

// refusal is the model's words; failing those, the provider's explanation or
// category; failing those, ours, because a refusal is never empty.
func refusal(text string, raw json.RawMessage) string {
	if text != "" {
		return text
	}
	var details struct {
		Explanation string `json:"explanation"`
		Category    string `json:"category"`
	}
	if json.Unmarshal(raw, &details) == nil {
		if details.Explanation != "" {
			return details.Explanation
		}
		if details.Category != "" {
			return "(no words; category " + details.Category + ")"
		}
	}
	return "(no words)"
}

// stop is why a message ended, by the API's reference of stop_reason.
func stop(reason string) model.Stop {
	switch reason {
	case "end_turn", "stop_sequence", reasonRefusal:
		return model.Ended
	case "max_tokens", "model_context_window_exceeded":
		return model.Cut
	default: // tool_use ends a reply only when the tool is ours
		return model.Other
	}
}

// usage is what the server counted. What it read from, or wrote to, its cache is
// not part of input_tokens.
func usage(raw json.RawMessage) model.Usage {
	var u struct {
		Input  json.RawMessage `json:"input_tokens"`
		Made   json.RawMessage `json:"cache_creation_input_tokens"`
		Read   json.RawMessage `json:"cache_read_input_tokens"`
		Output json.RawMessage `json:"output_tokens"`
	}
	if json.Unmarshal(raw, &u) != nil {
		return model.Usage{}
	}
	return model.Usage{
		InputTokens:  provider.Tokens(u.Input) + provider.Tokens(u.Made) + provider.Tokens(u.Read),
		OutputTokens: provider.Tokens(u.Output),
	}
}
