// Package anthropic asks models through Anthropic's messages, by the official
// SDK: those of Anthropic, and those of any server that speaks this API (base_url,
// without /v1/messages).
//
// Structured "tool", the default, makes the model call one tool whose input is
// the reply. "json_schema" sends the schema as the output's format, which holds
// the model closer to it, and takes no schema with free objects: it is for tasks
// whose tools have closed parameters. "text" leaves all to the prompt.
package anthropic
