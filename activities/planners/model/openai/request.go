package openai

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

const toolDescription = "Hands in the reply. The arguments are the whole of it."

// params are a conversation as the API takes it.
func (e *Engine) params(c model.Conversation) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: e.config.Model, Messages: messages(c)}
	if e.config.Temperature != nil {
		p.Temperature = param.NewOpt(*e.config.Temperature)
	}
	if e.config.TokenLimit == MaxTokens {
		p.MaxTokens = param.NewOpt(e.config.MaxOutputTokens)
	} else {
		p.MaxCompletionTokens = param.NewOpt(e.config.MaxOutputTokens)
	}
	switch e.config.Structured {
	case provider.JSONSchema:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: "plan", Schema: c.Schema, Strict: param.NewOpt(false),
		}}
	case provider.JSONObject:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case provider.Tool:
		p.Tools = []openai.ChatCompletionToolUnionParam{tool(c.Schema)}
		p.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: provider.ToolName})
		p.ParallelToolCalls = param.NewOpt(false)
	case provider.Text:
	}
	return p
}

func messages(c model.Conversation) []openai.ChatCompletionMessageParamUnion {
	var said []openai.ChatCompletionMessageParamUnion
	if c.System != "" {
		said = append(said, openai.SystemMessage(c.System))
	}
	for _, m := range c.Messages {
		if m.Role == model.Assistant {
			said = append(said, openai.AssistantMessage(m.Text))
			continue
		}
		said = append(said, openai.UserMessage(m.Text))
	}
	return said
}

// tool has the schema as its parameters, byte for byte: as the map that the SDK
// has for it, large numbers would lose digits.
func tool(schema json.RawMessage) openai.ChatCompletionToolUnionParam {
	function := shared.FunctionDefinitionParam{
		Name: provider.ToolName, Description: param.NewOpt(toolDescription), Strict: param.NewOpt(false),
	}
	function.SetExtraFields(map[string]any{"parameters": schema})
	return openai.ChatCompletionFunctionTool(function)
}
