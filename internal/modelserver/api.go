package modelserver

import (
	"encoding/json"
	"net/http"
)

// API is whose form a call has.
type API string

// The two APIs.
const (
	OpenAI    API = "openai"
	Anthropic API = "anthropic"
)

// object is JSON on its way out.
type object = map[string]any

// reply is a model's, with everything decided.
type reply struct {
	Answer

	id    string
	model string
	usage Usage
}

// body is a reply as the API has it.
func (api API) body(r reply) object {
	if api == Anthropic {
		return r.message()
	}
	return r.completion()
}

func (r reply) completion() object {
	message := object{"role": "assistant", "content": r.Text, "refusal": nil}
	if r.Refusal != "" {
		message["content"], message["refusal"] = nil, r.Refusal
	}
	if r.Tool != nil {
		calls := []object{{"id": "call_1", "type": "function", "function": object{"name": r.Tool.Name, "arguments": r.Tool.Arguments}}}
		if r.Tool.Twice {
			calls = append(calls, calls[0])
		}
		message["tool_calls"] = calls
		if r.Text == "" {
			message["content"] = nil
		}
	}
	choices := []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": r.finish(completionFinish)}}
	if r.NoChoices {
		choices = []object{}
	}
	return object{
		"id": r.id, "object": "chat.completion", "created": 1_700_000_000, "model": r.model, "choices": choices,
		"usage": object{
			"prompt_tokens": r.usage.Input, "completion_tokens": r.usage.Output, "total_tokens": r.usage.Input + r.usage.Output,
		},
	}
}

func (r reply) message() object {
	content := []object{}
	if r.Text != "" {
		content = append(content, object{"type": "text", "text": r.Text})
	}
	if r.Refusal != "" {
		content = append(content, object{"type": "text", "text": r.Refusal})
	}
	if r.Tool != nil {
		call := object{"type": "tool_use", "id": "toolu_1", "name": r.Tool.Name, "input": json.RawMessage(r.Tool.Arguments)}
		if !json.Valid([]byte(r.Tool.Arguments)) {
			call["input"] = object{} // what the API has of input that was cut off
		}
		content = append(content, call)
		if r.Tool.Twice {
			content = append(content, call)
		}
	}
	finish := r.finish(messageFinish)
	if r.Refusal != "" {
		finish = "refusal"
	}
	m := object{
		"id": r.id, "type": "message", "role": "assistant", "model": r.model, "content": content, "stop_reason": finish,
		"stop_sequence": nil, "usage": object{"input_tokens": r.usage.Input, "output_tokens": r.usage.Output},
	}
	if r.NoChoices {
		m["content"], m["stop_reason"] = []object{}, nil
	}
	return m
}

var (
	completionFinish = map[Finish]string{FinishStop: "stop", FinishLength: "length", FinishFilter: "content_filter", FinishTool: "tool_calls"}
	messageFinish    = map[Finish]string{FinishStop: "end_turn", FinishLength: "max_tokens", FinishFilter: "refusal", FinishTool: "tool_use"}
)

// finish is why the model ends, in the API's own word.
func (r reply) finish(words map[Finish]string) string {
	why := r.Finish
	switch {
	case why != "":
	case r.Tool != nil:
		why = FinishTool
	default:
		why = FinishStop
	}
	if word, known := words[why]; known {
		return word
	}
	return string(why)
}

// usual are the errors that the APIs have for a status: OpenAI's type and code,
// and Anthropic's type.
var usual = map[int]struct{ kind, code, anthropic string }{
	http.StatusBadRequest:            {"invalid_request_error", "", "invalid_request_error"},
	http.StatusUnauthorized:          {"invalid_request_error", "invalid_api_key", "authentication_error"},
	http.StatusPaymentRequired:       {"insufficient_quota", "credit_balance_exhausted", "billing_error"},
	http.StatusForbidden:             {"invalid_request_error", "", "permission_error"},
	http.StatusNotFound:              {"invalid_request_error", "model_not_found", "not_found_error"},
	http.StatusRequestEntityTooLarge: {"invalid_request_error", "", "request_too_large"},
	http.StatusTooManyRequests:       {"requests", "rate_limit_exceeded", "rate_limit_error"},
	http.StatusServiceUnavailable:    {"service_unavailable_error", "", "api_error"},
	http.StatusGatewayTimeout:        {"server_error", "", "timeout_error"},
	529:                              {"server_error", "", "overloaded_error"},
}

// failure is an error as the API has it.
func (api API) failure(status int, e Error) object {
	known, ok := usual[status]
	switch {
	case ok:
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		known.kind, known.anthropic = "invalid_request_error", "invalid_request_error"
	default:
		known.kind, known.anthropic = "server_error", "api_error"
	}
	if e.Message == "" {
		e.Message = "scripted: " + http.StatusText(status)
	}
	if api == Anthropic {
		return object{"type": "error", "error": object{"type": first(e.Type, known.anthropic), "message": e.Message}, "request_id": "req_scripted"}
	}
	var code any
	if c := first(e.Code, known.code); c != "" {
		code = c
	}
	return object{"error": object{"message": e.Message, "type": first(e.Type, known.kind), "param": nil, "code": code}}
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
