// Package modelserver is a server that speaks the APIs of models, and answers
// from a script: plans, refusals, cut and empty replies, errors of every status,
// answers that are none, and connections that break. It keeps every request that
// it got. It is for tests, of this repository and of anybody's tasks;
// docs/model-server.md says how it is used by hand.
//
//	POST /v1/chat/completions   OpenAI's chat completions
//	POST /v1/messages           Anthropic's messages
//	GET  /v1/models             the one model, in OpenAI's form
//
// Both APIs take their answers from one script, in the order in which calls
// arrive.
package modelserver
