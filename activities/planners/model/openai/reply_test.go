package openai_test

import (
	"testing"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/enginetest"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

const ours = `{"id":"1","type":"function","function":{"name":"submit_plan","arguments":"{\"actions\":[]}"}}`

func envelopes() []enginetest.Envelope {
	return []enginetest.Envelope{
		{Name: "refusal", Body: `{"choices":[{"message":{"content":null,"refusal":"I can't help with that."},"finish_reason":"stop"}]}`,
			Want: model.Reply{Refusal: "I can't help with that.", Stop: model.Ended}},
		{Name: "no choices", Body: `{"choices":[]}`, Fails: "without any choice"},
		{Name: "null choices", Body: `{"choices":null}`, Fails: "without any choice"},
		{Name: "overloaded", Body: `{"error":{"message":"overloaded"}}`, Fails: "with an error"},
		{Name: "its code", Body: `{"error":{"message":"x","code":"server_is_overloaded"}}`, Fails: "server_is_overloaded"},
		{Name: "a number as its code", Body: `{"error":{"message":"x","code":529,"type":"overloaded_error"}}`, Fails: "overloaded_error"},
		{Name: "error as a text", Body: `{"error":"overloaded"}`, Fails: "with an error"},
		{Name: "error in a choice", Body: `{"choices":[{"error":{"code":502},"message":{"content":""}}]}`, Fails: "with an error"},
		{Name: "error null", Body: `{"error":null,"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`, Want: model.Reply{Text: "x", Stop: model.Ended}},
		{Name: "html", Body: "<!DOCTYPE html>\n<html><body>busy</body></html>", Fails: "a page"},
		{Name: "sse", Body: "data: {\"choices\":[{\"delta\":{\"content\":\"{\"}}]}\n\ndata: [DONE]\n\n", Fails: "stream of events"},
		{Name: "sse by name", Body: "event: x\ndata: {}\n\n", Fails: "stream of events"},
		{Name: "nothing", Body: "", Fails: "nothing"},
		{Name: "choices twice", Fails: "a member stands twice",
			Body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"choices":[{"message":{"content":"y"},"finish_reason":"stop"}]}`},
		{Name: "choices in two spellings", Fails: "a member stands twice",
			Body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"Choices":[{"message":{"content":"y"},"finish_reason":"stop"}]}`},
		{Name: "choices with a long s", Fails: "a member stands twice",
			Body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"choiceſ":[{"message":{"content":"y"},"finish_reason":"stop"}]}`},
		{Name: "content twice, escaped", Body: `{"choices":[{"message":{"content":"x","cont\u0065nt":"y"},"finish_reason":"stop"}]}`, Fails: "a member stands twice"},
		{Name: "usage twice within", Body: `{"choices":[{"message":{"content":"x"}}],"usage":{"a":{"b":[1,{"c":1,"c":2}]}}}`, Fails: "a member stands twice"},
		{Name: "names that are values", Body: `{"id":"model","model":"id","choices":[{"message":{"content":"x","refusal":null},"finish_reason":"stop"}],"x":["x","x",{"x":"x"}]}`,
			Want: model.Reply{Text: "x", Stop: model.Ended, ModelID: "id"}},
		{Name: "more behind it", Body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]} {}`, Fails: "another form"},
		{Name: "a comma behind it", Body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]},`, Fails: "another form"},
		{Name: "no message", Body: `{"choices":[{"finish_reason":"stop"}]}`, Fails: "no message"},
		{Name: "null message", Body: `{"choices":[{"message":null}]}`, Fails: "no message"},
		{Name: "no content at all", Body: `{"choices":[{"message":{},"finish_reason":"stop"}]}`, Want: model.Reply{Stop: model.Ended}},
		{Name: "content as a number", Body: `{"choices":[{"message":{"content":7},"finish_reason":"stop"}]}`, Fails: "another form"},
		{Name: "filtered", Body: `{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`, Want: model.Reply{Stop: model.Filtered}},
		{Name: "no reason to end", Body: `{"choices":[{"message":{"content":"x"},"finish_reason":null}]}`, Want: model.Reply{Text: "x", Stop: model.Other}},
		{Name: "two choices", Body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"},{"message":{"content":"y"},"finish_reason":"stop"}]}`,
			Want: model.Reply{Stop: model.Other}},
		{Name: "reasoning beside", Body: `{"choices":[{"message":{"content":"x","reasoning_content":"hm"},"finish_reason":"stop"}]}`,
			Want: model.Reply{Text: "x", Stop: model.Ended}},
		{Name: "parts", Body: `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}`,
			Want: model.Reply{Text: "ab", Stop: model.Ended}},
		{Name: "a part that refuses", Body: `{"choices":[{"message":{"content":[{"type":"refusal","refusal":"no"}]},"finish_reason":"stop"}]}`,
			Want: model.Reply{Refusal: "no", Stop: model.Ended}},
		{Name: "a part that is a picture", Body: `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"image_url"}]},"finish_reason":"stop"}]}`,
			Want: model.Reply{Stop: model.Other}},
		{Name: "odd usage", Body: `{"model":"m","choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":"7","completion_tokens":3}}`,
			Want: model.Reply{Text: "x", Stop: model.Ended, ModelID: "m", Usage: model.Usage{OutputTokens: 3}}},
		{Name: "usage as a list", Body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":[]}`, Want: model.Reply{Text: "x", Stop: model.Ended}},

		{Name: "our tool", Structured: provider.Tool, Body: `{"choices":[{"message":{"content":null,"tool_calls":[` + ours + `]},"finish_reason":"tool_calls"}]}`,
			Want: model.Reply{Text: `{"actions":[]}`, Stop: model.Ended}},
		{Name: "our tool, forced", Structured: provider.Tool, Body: `{"choices":[{"message":{"content":"let me see","tool_calls":[` + ours + `]},"finish_reason":"stop"}]}`,
			Want: model.Reply{Text: `{"actions":[]}`, Stop: model.Ended}},
		{Name: "arguments cut off", Structured: provider.Tool,
			Body: `{"choices":[{"message":{"tool_calls":[{"function":{"name":"submit_plan","arguments":"{\"actions\":["}}]},"finish_reason":"length"}]}`,
			Want: model.Reply{Text: `{"actions":[`, Stop: model.Cut}},
		{Name: "our tool, not asked for", Body: `{"choices":[{"message":{"tool_calls":[` + ours + `]},"finish_reason":"tool_calls"}]}`, Want: model.Reply{Stop: model.Other}},
		{Name: "our tool twice", Structured: provider.Tool, Body: `{"choices":[{"message":{"tool_calls":[` + ours + `,` + ours + `]},"finish_reason":"tool_calls"}]}`,
			Want: model.Reply{Stop: model.Other}},
		{Name: "a plan beside another tool", Structured: provider.Tool,
			Body: `{"choices":[{"message":{"content":"{\"actions\":[]}","tool_calls":[{"function":{"name":"shell","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			Want: model.Reply{Stop: model.Other}},
		{Name: "another tool", Structured: provider.Tool,
			Body: `{"choices":[{"message":{"tool_calls":[{"function":{"name":"shell","arguments":"{}"}}]},"finish_reason":"stop"}]}`, Want: model.Reply{Stop: model.Other}},
		{Name: "a call in the older form", Structured: provider.Tool,
			Body: `{"choices":[{"message":{"content":null,"function_call":{"name":"submit_plan","arguments":"{}"}},"finish_reason":"stop"}]}`, Want: model.Reply{Stop: model.Other}},
		{Name: "a text where a tool was asked for", Structured: provider.Tool, Body: `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`,
			Want: model.Reply{Text: "{}", Stop: model.Ended}},
		{Name: "arguments that are no text", Structured: provider.Tool,
			Body: `{"choices":[{"message":{"tool_calls":[{"function":{"name":"submit_plan","arguments":{}}}]},"finish_reason":"stop"}]}`, Fails: "another form"},
	}
}

// keysInAnswers are bodies with the key where nothing else has a place for it.
func keysInAnswers() map[string]string {
	return map[string]string{
		"parts": `{"choices":[{"message":{"content":[{"type":"text","text":"sk-WALRUS"},{"type":"text","text":"-4711-Kettle"}]},"finish_reason":"stop"}]}`,
		"parts of a refusal": `{"choices":[{"message":{"content":[{"type":"refusal","refusal":"sk-WALRUS"},{"type":"refusal","refusal":"-4711-Kettle"}]},` +
			`"finish_reason":"stop"}]}`,
		"a member that is not read": `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"system_fingerprint":"` + enginetest.Key + `"}`,
		"a member's name":           `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"` + enginetest.Key + `":1}`,
	}
}

func TestC070_RefusalEmptyAndOddEnvelopes(t *testing.T) {
	enginetest.Envelopes(t, subject(), envelopes())
}

func FuzzRead(f *testing.F) { enginetest.FuzzRead(f, subject(), envelopes()) }
