package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/openai"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

func reader(tb testing.TB, structured provider.Structured) model.Engine {
	tb.Helper()
	c := openai.Defaults()
	c.BaseURL, c.Model, c.Structured = "https://models.example.com/v1", "m-1", structured
	engine, err := openai.New(c)
	require.NoError(tb, err)
	return engine
}

// envelope is a body and what it says.
type envelope struct {
	name, body string
	structured provider.Structured
	want       model.Reply
	fails      string // what the error says
}

const ours = `{"id":"1","type":"function","function":{"name":"submit_plan","arguments":"{\"actions\":[]}"}}`

func envelopes() []envelope {
	return []envelope{
		{name: "refusal", body: `{"choices":[{"message":{"content":null,"refusal":"I can't help with that."},"finish_reason":"stop"}]}`,
			want: model.Reply{Refusal: "I can't help with that.", Stop: model.Ended}},
		{name: "no choices", body: `{"choices":[]}`, fails: "without any choice"},
		{name: "null choices", body: `{"choices":null}`, fails: "without any choice"},
		{name: "overloaded", body: `{"error":{"message":"overloaded"}}`, fails: "with an error"},
		{name: "its code", body: `{"error":{"message":"x","code":"server_is_overloaded"}}`, fails: "server_is_overloaded"},
		{name: "a number as its code", body: `{"error":{"message":"x","code":529,"type":"overloaded_error"}}`, fails: "overloaded_error"},
		{name: "error as a text", body: `{"error":"overloaded"}`, fails: "with an error"},
		{name: "error in a choice", body: `{"choices":[{"error":{"code":502},"message":{"content":""}}]}`, fails: "with an error"},
		{name: "error null", body: `{"error":null,"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`, want: model.Reply{Text: "x", Stop: model.Ended}},
		{name: "html", body: "<!DOCTYPE html>\n<html><body>busy</body></html>", fails: "a page"},
		{name: "sse", body: "data: {\"choices\":[{\"delta\":{\"content\":\"{\"}}]}\n\ndata: [DONE]\n\n", fails: "stream of events"},
		{name: "sse by name", body: "event: x\ndata: {}\n\n", fails: "stream of events"},
		{name: "nothing", body: "", fails: "nothing"},
		{name: "no message", body: `{"choices":[{"finish_reason":"stop"}]}`, fails: "no message"},
		{name: "null message", body: `{"choices":[{"message":null}]}`, fails: "no message"},
		{name: "no content at all", body: `{"choices":[{"message":{},"finish_reason":"stop"}]}`, want: model.Reply{Stop: model.Ended}},
		{name: "content as a number", body: `{"choices":[{"message":{"content":7},"finish_reason":"stop"}]}`, fails: "another form"},
		{name: "filtered", body: `{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`, want: model.Reply{Stop: model.Filtered}},
		{name: "no reason to end", body: `{"choices":[{"message":{"content":"x"},"finish_reason":null}]}`, want: model.Reply{Text: "x", Stop: model.Other}},
		{name: "two choices", body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"},{"message":{"content":"y"},"finish_reason":"stop"}]}`,
			want: model.Reply{Stop: model.Other}},
		{name: "reasoning beside", body: `{"choices":[{"message":{"content":"x","reasoning_content":"hm"},"finish_reason":"stop"}]}`,
			want: model.Reply{Text: "x", Stop: model.Ended}},
		{name: "parts", body: `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"stop"}]}`,
			want: model.Reply{Text: "ab", Stop: model.Ended}},
		{name: "a part that refuses", body: `{"choices":[{"message":{"content":[{"type":"refusal","refusal":"no"}]},"finish_reason":"stop"}]}`,
			want: model.Reply{Refusal: "no", Stop: model.Ended}},
		{name: "a part that is a picture", body: `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"image_url"}]},"finish_reason":"stop"}]}`,
			want: model.Reply{Stop: model.Other}},
		{name: "odd usage", body: `{"model":"m","choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":"7","completion_tokens":3}}`,
			want: model.Reply{Text: "x", Stop: model.Ended, ModelID: "m", Usage: model.Usage{OutputTokens: 3}}},
		{name: "usage as a list", body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":[]}`, want: model.Reply{Text: "x", Stop: model.Ended}},

		{name: "our tool", structured: provider.Tool, body: `{"choices":[{"message":{"content":null,"tool_calls":[` + ours + `]},"finish_reason":"tool_calls"}]}`,
			want: model.Reply{Text: `{"actions":[]}`, Stop: model.Ended}},
		{name: "our tool, forced", structured: provider.Tool, body: `{"choices":[{"message":{"content":"let me see","tool_calls":[` + ours + `]},"finish_reason":"stop"}]}`,
			want: model.Reply{Text: `{"actions":[]}`, Stop: model.Ended}},
		{name: "arguments cut off", structured: provider.Tool,
			body: `{"choices":[{"message":{"tool_calls":[{"function":{"name":"submit_plan","arguments":"{\"actions\":["}}]},"finish_reason":"length"}]}`,
			want: model.Reply{Text: `{"actions":[`, Stop: model.Cut}},
		{name: "our tool, not asked for", body: `{"choices":[{"message":{"tool_calls":[` + ours + `]},"finish_reason":"tool_calls"}]}`, want: model.Reply{Stop: model.Other}},
		{name: "our tool twice", structured: provider.Tool, body: `{"choices":[{"message":{"tool_calls":[` + ours + `,` + ours + `]},"finish_reason":"tool_calls"}]}`,
			want: model.Reply{Stop: model.Other}},
		{name: "a plan beside another tool", structured: provider.Tool,
			body: `{"choices":[{"message":{"content":"{\"actions\":[]}","tool_calls":[{"function":{"name":"shell","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			want: model.Reply{Stop: model.Other}},
		{name: "another tool", structured: provider.Tool,
			body: `{"choices":[{"message":{"tool_calls":[{"function":{"name":"shell","arguments":"{}"}}]},"finish_reason":"stop"}]}`, want: model.Reply{Stop: model.Other}},
		{name: "a call in the older form", structured: provider.Tool,
			body: `{"choices":[{"message":{"content":null,"function_call":{"name":"submit_plan","arguments":"{}"}},"finish_reason":"stop"}]}`, want: model.Reply{Stop: model.Other}},
		{name: "a text where a tool was asked for", structured: provider.Tool, body: `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`,
			want: model.Reply{Text: "{}", Stop: model.Ended}},
		{name: "arguments that are no text", structured: provider.Tool,
			body: `{"choices":[{"message":{"tool_calls":[{"function":{"name":"submit_plan","arguments":{}}}]},"finish_reason":"stop"}]}`, fails: "another form"},
	}
}

func TestC070_RefusalEmptyAndOddEnvelopes(t *testing.T) {
	for _, e := range envelopes() {
		t.Run(e.name, func(t *testing.T) {
			if e.structured == "" {
				e.structured = provider.JSONSchema
			}
			got, err := reader(t, e.structured).Read([]byte(e.body))
			if e.fails != "" {
				require.ErrorContains(t, err, e.fails)
				require.Equal(t, faults.Transient, faults.ClassOf(err))
				require.ErrorContains(t, err, "models.example.com")
				require.Zero(t, got)
				return
			}
			require.NoError(t, err)
			require.Equal(t, e.want, got)
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, e := range envelopes() {
		f.Add([]byte(e.body), e.structured == provider.Tool)
	}
	engines := map[bool]model.Engine{false: reader(f, provider.JSONSchema), true: reader(f, provider.Tool)}
	f.Fuzz(func(t *testing.T, body []byte, tool bool) {
		reply, err := engines[tool].Read(body)
		if err != nil {
			require.Equal(t, faults.Transient, faults.ClassOf(err))
			require.Less(t, len(err.Error()), 300)
			require.Zero(t, reply)
			return
		}
		require.Contains(t, []model.Stop{model.Ended, model.Cut, model.Filtered, model.Other}, reply.Stop)
		require.GreaterOrEqual(t, reply.Usage.InputTokens, int64(0))
		require.GreaterOrEqual(t, reply.Usage.OutputTokens, int64(0))
	})
}
