// Package openai asks models through OpenAI's chat completions, by the official
// SDK: those of OpenAI, and those of any server that speaks this API (base_url,
// without /chat/completions).
//
// Structured "json_schema" sends the schema as response_format with strict
// false: strict schemas may not have free objects, and the parameters of tools
// are whatever the tools say. "json_object" and "tool" are for servers that know
// no schema, "text" for those that know neither.
package openai
