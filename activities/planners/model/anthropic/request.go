package anthropic

import (
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

const toolDescription = "Hands in the reply. The input is the whole of it."

// params are a conversation as the API takes it. A schema is sent byte for byte:
// as the maps that the SDK has for it, large numbers would lose digits.
func (e *Engine) params(c model.Conversation) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: e.config.Model, MaxTokens: e.config.MaxOutputTokens, Messages: messages(c)}
	if c.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: c.System}}
	}
	if e.config.Temperature != nil {
		// The SDK's version of the API has no such field.
		p.SetExtraFields(map[string]any{"temperature": *e.config.Temperature})
	}
	switch e.config.Structured {
	case provider.JSONSchema:
		p.OutputConfig.Format.SetExtraFields(map[string]any{"schema": c.Schema})
	case provider.Tool:
		p.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: provider.ToolName, Description: param.NewOpt(toolDescription), InputSchema: inputSchema(c.Schema),
		}}}
		p.ToolChoice.OfTool = &anthropic.ToolChoiceToolParam{Name: provider.ToolName, DisableParallelToolUse: param.NewOpt(true)}
	case provider.Text, provider.JSONObject:
	}
	return p
}

func inputSchema(schema json.RawMessage) anthropic.ToolInputSchemaParam {
	return param.Override[anthropic.ToolInputSchemaParam](schema)
}

func messages(c model.Conversation) []anthropic.MessageParam {
	said := make([]anthropic.MessageParam, 0, len(c.Messages))
	for _, m := range c.Messages {
		block := anthropic.NewTextBlock(m.Text)
		if m.Role == model.Assistant {
			said = append(said, anthropic.NewAssistantMessage(block))
			continue
		}
		said = append(said, anthropic.NewUserMessage(block))
	}
	return said
}
