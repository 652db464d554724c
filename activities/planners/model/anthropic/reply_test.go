package anthropic_test

import (
	"testing"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/enginetest"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

const (
	text = `{"type":"text","text":"x"}`
	ours = `{"type":"tool_use","id":"1","name":"submit_plan","input":{"actions": [1.0]}}`
)

func message(content, reason string) string {
	return `{"type":"message","model":"m","content":[` + content + `],"stop_reason":` + reason + `}`
}

func envelopes() []enginetest.Envelope {
	return []enginetest.Envelope{
		{Name: "text", Body: message(text, `"end_turn"`), Want: model.Reply{Text: "x", Stop: model.Ended, ModelID: "m"}},
		{Name: "two texts", Body: message(text+","+text, `"end_turn"`), Want: model.Reply{Text: "xx", Stop: model.Ended, ModelID: "m"}},
		{Name: "content twice", Body: `{"content":[],` + message(text, `"end_turn"`)[1:], Fails: "a member stands twice"},
		{Name: "text twice", Body: message(`{"type":"text","text":"x","TEXT":"y"}`, `"end_turn"`), Fails: "a member stands twice"},
		{Name: "a reply that says a thing twice is the reply's judge's", Body: message(`{"type":"tool_use","name":"submit_plan","input":{"a":{"b":1,"b":2},"A":{}}}`, `"tool_use"`),
			Want: model.Reply{Text: `{"a":{"b":1,"b":2},"A":{}}`, Stop: model.Ended, ModelID: "m"}},
		{Name: "twice behind the reply", Body: message(`{"type":"tool_use","name":"submit_plan","input":{"a":1},"name":"submit_plan"}`, `"tool_use"`), Fails: "a member stands twice"},
		{Name: "input twice", Body: message(`{"type":"tool_use","name":"submit_plan","input":{"a":1},"input":{"a":2}}`, `"tool_use"`), Fails: "a member stands twice"},
		{Name: "more behind it", Body: message(text, `"end_turn"`) + "{}", Fails: "another form"},
		{Name: "stop sequence", Body: message(text, `"stop_sequence"`), Want: model.Reply{Text: "x", Stop: model.Ended, ModelID: "m"}},
		{Name: "refusal", Body: message(`{"type":"text","text":"I can't help with that."}`, `"refusal"`),
			Want: model.Reply{Text: "I can't help with that.", Refusal: "I can't help with that.", Stop: model.Ended, ModelID: "m"}},
		{Name: "refusal without words", Body: message("", `"refusal"`), Want: model.Reply{Refusal: "(no words)", Stop: model.Ended, ModelID: "m"}},
		{Name: "refusal with a category",
			Body: `{"type":"message","content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":null}}`,
			Want: model.Reply{Refusal: "(no words; category cyber)", Stop: model.Ended}},
		{Name: "refusal with an explanation",
			Body: `{"type":"message","content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"not this"}}`,
			Want: model.Reply{Refusal: "not this", Stop: model.Ended}},
		{Name: "cut", Body: message(text, `"max_tokens"`), Want: model.Reply{Text: "x", Stop: model.Cut, ModelID: "m"}},
		{Name: "cut by the window", Body: message(text, `"model_context_window_exceeded"`), Want: model.Reply{Text: "x", Stop: model.Cut, ModelID: "m"}},
		{Name: "paused", Body: message(text, `"pause_turn"`), Want: model.Reply{Text: "x", Stop: model.Other, ModelID: "m"}},
		{Name: "no reason to end", Body: message(text, "null"), Want: model.Reply{Text: "x", Stop: model.Other, ModelID: "m"}},
		{Name: "nothing said", Body: message("", `"end_turn"`), Want: model.Reply{Stop: model.Ended, ModelID: "m"}},
		{Name: "nothing at all", Body: message("", "null"), Fails: "no content"},
		{Name: "thinking beside", Body: message(`{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"d"},`+text, `"end_turn"`),
			Want: model.Reply{Text: "x", Stop: model.Ended, ModelID: "m"}},
		{Name: "a block that is a search", Body: message(`{"type":"server_tool_use","name":"web_search","input":{}},`+text, `"end_turn"`),
			Want: model.Reply{Stop: model.Other, ModelID: "m"}},
		{Name: "overloaded", Body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, Fails: "overloaded_error"},
		{Name: "overloaded, in the other API's form", Body: `{"error":{"message":"overloaded"}}`, Fails: "with an error"},
		{Name: "the other API's answer", Body: `{"choices":[{"message":{"content":"x"}}]}`, Fails: "no message"},
		{Name: "no choices", Body: `{"choices":[]}`, Fails: "no message"},
		{Name: "html", Body: "<html>", Fails: "a page"},
		{Name: "sse", Body: "event: message_start\ndata: {\"type\":\"message_start\"}\n\n", Fails: "stream of events"},
		{Name: "content as a text", Body: `{"type":"message","content":"x","stop_reason":"end_turn"}`, Fails: "another form"},
		{Name: "usage", Body: `{"type":"message","content":[` + text + `],"stop_reason":"end_turn","usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":null,"output_tokens":5}}`,
			Want: model.Reply{Text: "x", Stop: model.Ended, Usage: model.Usage{InputTokens: 30, OutputTokens: 5}}},

		{Name: "our tool", Body: message(ours, `"tool_use"`), Want: model.Reply{Text: `{"actions": [1.0]}`, Stop: model.Ended, ModelID: "m"}},
		{Name: "words beside our tool", Body: message(text+","+ours, `"tool_use"`), Want: model.Reply{Text: `{"actions": [1.0]}`, Stop: model.Ended, ModelID: "m"}},
		{Name: "our tool, cut off", Body: message(ours, `"max_tokens"`), Want: model.Reply{Text: `{"actions": [1.0]}`, Stop: model.Cut, ModelID: "m"}},
		{Name: "our tool without input", Body: message(`{"type":"tool_use","name":"submit_plan"}`, `"tool_use"`), Want: model.Reply{Stop: model.Ended, ModelID: "m"}},
		{Name: "our tool twice", Body: message(ours+","+ours, `"tool_use"`), Want: model.Reply{Stop: model.Other, ModelID: "m"}},
		{Name: "another tool", Body: message(`{"type":"tool_use","name":"shell","input":{}}`, `"tool_use"`), Want: model.Reply{Stop: model.Other, ModelID: "m"}},
		{Name: "our tool, not asked for", Structured: provider.JSONSchema, Body: message(ours, `"tool_use"`), Want: model.Reply{Stop: model.Other, ModelID: "m"}},
		{Name: "our tool, ended by itself and not asked for", Structured: provider.Text, Body: message(ours, `"end_turn"`),
			Want: model.Reply{Stop: model.Other, ModelID: "m"}},
	}
}

// keysInAnswers are bodies with the key where nothing else has a place for it.
func keysInAnswers() map[string]string {
	return map[string]string{
		"parts":             message(`{"type":"text","text":"sk-WALRUS"},{"type":"text","text":"-4711-Kettle"}`, `"end_turn"`),
		"thoughts":          message(`{"type":"thinking","thinking":"`+enginetest.Key+`"},`+text, `"end_turn"`),
		"parameters' names": message(`{"type":"tool_use","name":"submit_plan","input":{"`+enginetest.Key+`":1}}`, `"tool_use"`),
		"an explanation":    `{"type":"message","content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","explanation":"` + enginetest.Key + `"}}`,
	}
}

func TestC070_RefusalEmptyAndOddEnvelopes(t *testing.T) {
	enginetest.Envelopes(t, subject(), envelopes())
}

func FuzzRead(f *testing.F) { enginetest.FuzzRead(f, subject(), envelopes()) }
