package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/anthropic"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

func reader(tb testing.TB, structured provider.Structured) model.Engine {
	tb.Helper()
	c := anthropic.Defaults()
	c.BaseURL, c.Model, c.Structured = "https://models.example.com", "m-1", structured
	engine, err := anthropic.New(c)
	require.NoError(tb, err)
	return engine
}

// envelope is a body and what it says. The engine asks for a tool, when nothing
// else is said.
type envelope struct {
	name, body string
	structured provider.Structured
	want       model.Reply
	fails      string // what the error says
}

const (
	text = `{"type":"text","text":"x"}`
	ours = `{"type":"tool_use","id":"1","name":"submit_plan","input":{"actions": [1.0]}}`
)

func message(content, reason string) string {
	return `{"type":"message","model":"m","content":[` + content + `],"stop_reason":` + reason + `}`
}

func envelopes() []envelope {
	return []envelope{
		{name: "text", body: message(text, `"end_turn"`), want: model.Reply{Text: "x", Stop: model.Ended, ModelID: "m"}},
		{name: "two texts", body: message(text+","+text, `"end_turn"`), want: model.Reply{Text: "xx", Stop: model.Ended, ModelID: "m"}},
		{name: "stop sequence", body: message(text, `"stop_sequence"`), want: model.Reply{Text: "x", Stop: model.Ended, ModelID: "m"}},
		{name: "refusal", body: message(`{"type":"text","text":"I can't help with that."}`, `"refusal"`),
			want: model.Reply{Text: "I can't help with that.", Refusal: "I can't help with that.", Stop: model.Ended, ModelID: "m"}},
		{name: "refusal without words", body: message("", `"refusal"`), want: model.Reply{Refusal: "(no words)", Stop: model.Ended, ModelID: "m"}},
		{name: "refusal with a category",
			body: `{"type":"message","content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":null}}`,
			want: model.Reply{Refusal: "(no words; category cyber)", Stop: model.Ended}},
		{name: "refusal with an explanation",
			body: `{"type":"message","content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"not this"}}`,
			want: model.Reply{Refusal: "not this", Stop: model.Ended}},
		{name: "cut", body: message(text, `"max_tokens"`), want: model.Reply{Text: "x", Stop: model.Cut, ModelID: "m"}},
		{name: "cut by the window", body: message(text, `"model_context_window_exceeded"`), want: model.Reply{Text: "x", Stop: model.Cut, ModelID: "m"}},
		{name: "paused", body: message(text, `"pause_turn"`), want: model.Reply{Text: "x", Stop: model.Other, ModelID: "m"}},
		{name: "no reason to end", body: message(text, "null"), want: model.Reply{Text: "x", Stop: model.Other, ModelID: "m"}},
		{name: "nothing said", body: message("", `"end_turn"`), want: model.Reply{Stop: model.Ended, ModelID: "m"}},
		{name: "nothing at all", body: message("", "null"), fails: "no content"},
		{name: "thinking beside", body: message(`{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"d"},`+text, `"end_turn"`),
			want: model.Reply{Text: "x", Stop: model.Ended, ModelID: "m"}},
		{name: "a block that is a search", body: message(`{"type":"server_tool_use","name":"web_search","input":{}},`+text, `"end_turn"`),
			want: model.Reply{Stop: model.Other, ModelID: "m"}},
		{name: "overloaded", body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, fails: "overloaded_error"},
		{name: "overloaded, in the other API's form", body: `{"error":{"message":"overloaded"}}`, fails: "with an error"},
		{name: "the other API's answer", body: `{"choices":[{"message":{"content":"x"}}]}`, fails: "no message"},
		{name: "no choices", body: `{"choices":[]}`, fails: "no message"},
		{name: "html", body: "<html>", fails: "a page"},
		{name: "sse", body: "event: message_start\ndata: {\"type\":\"message_start\"}\n\n", fails: "stream of events"},
		{name: "content as a text", body: `{"type":"message","content":"x","stop_reason":"end_turn"}`, fails: "another form"},
		{name: "usage", body: `{"type":"message","content":[` + text + `],"stop_reason":"end_turn","usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":null,"output_tokens":5}}`,
			want: model.Reply{Text: "x", Stop: model.Ended, Usage: model.Usage{InputTokens: 30, OutputTokens: 5}}},

		{name: "our tool", body: message(ours, `"tool_use"`), want: model.Reply{Text: `{"actions": [1.0]}`, Stop: model.Ended, ModelID: "m"}},
		{name: "words beside our tool", body: message(text+","+ours, `"tool_use"`), want: model.Reply{Text: `{"actions": [1.0]}`, Stop: model.Ended, ModelID: "m"}},
		{name: "our tool, cut off", body: message(ours, `"max_tokens"`), want: model.Reply{Text: `{"actions": [1.0]}`, Stop: model.Cut, ModelID: "m"}},
		{name: "our tool without input", body: message(`{"type":"tool_use","name":"submit_plan"}`, `"tool_use"`), want: model.Reply{Stop: model.Ended, ModelID: "m"}},
		{name: "our tool twice", body: message(ours+","+ours, `"tool_use"`), want: model.Reply{Stop: model.Other, ModelID: "m"}},
		{name: "another tool", body: message(`{"type":"tool_use","name":"shell","input":{}}`, `"tool_use"`), want: model.Reply{Stop: model.Other, ModelID: "m"}},
		{name: "our tool, not asked for", structured: provider.JSONSchema, body: message(ours, `"tool_use"`), want: model.Reply{Stop: model.Other, ModelID: "m"}},
		{name: "our tool, ended by itself and not asked for", structured: provider.Text, body: message(ours, `"end_turn"`),
			want: model.Reply{Stop: model.Other, ModelID: "m"}},
	}
}

func TestC070_RefusalEmptyAndOddEnvelopes(t *testing.T) {
	for _, e := range envelopes() {
		t.Run(e.name, func(t *testing.T) {
			if e.structured == "" {
				e.structured = provider.Tool
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
		f.Add([]byte(e.body), e.structured == "")
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
