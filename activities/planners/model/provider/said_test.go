package provider

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners/model"
)

func TestSettle(t *testing.T) {
	plan := ToolCall{Name: ToolName, Arguments: "{}"}
	for name, tt := range map[string]struct {
		structured Structured
		said       Said
		text       string
		stop       model.Stop
	}{
		"a text":                      {Text, Said{Text: "x", Stop: model.Cut}, "x", model.Cut},
		"a text in place of a call":   {Tool, Said{Text: "x", Stop: model.Ended}, "x", model.Ended},
		"more than was asked for":     {Text, Said{Text: "x", Stop: model.Ended, Unasked: true}, "", model.Other},
		"more beside our call":        {Tool, Said{Calls: []ToolCall{plan}, Stop: model.Ended, Unasked: true}, "", model.Other},
		"our call":                    {Tool, Said{Text: "x", Calls: []ToolCall{plan}, Stop: model.Other, ByCall: true}, "{}", model.Ended},
		"our call, cut off":           {Tool, Said{Calls: []ToolCall{plan}, Stop: model.Cut}, "{}", model.Cut},
		"our call, not asked for":     {JSONSchema, Said{Text: "x", Calls: []ToolCall{plan}, Stop: model.Other, ByCall: true}, "", model.Other},
		"our call twice":              {Tool, Said{Text: "x", Calls: []ToolCall{plan, plan}, Stop: model.Other, ByCall: true}, "", model.Other},
		"another's call":              {Tool, Said{Text: "x", Calls: []ToolCall{{"shell", "{}"}}, Stop: model.Other, ByCall: true}, "", model.Other},
		"another's call before ours":  {Tool, Said{Calls: []ToolCall{{"shell", "{}"}, plan}, Stop: model.Ended}, "", model.Other},
		"a call by word, and no call": {Tool, Said{Text: "x", Stop: model.Other, ByCall: true}, "x", model.Other},
	} {
		text, stop := (&Client{config: Config{Structured: tt.structured}}).Settle(tt.said)
		require.Equal(t, tt.text, text, name)
		require.Equal(t, tt.stop, stop, name)
	}
}
