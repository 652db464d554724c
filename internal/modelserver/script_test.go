package modelserver_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestLoad(t *testing.T) {
	plan := write(t, "plan.json", "{\"actions\": []}\n")
	script, err := modelserver.Load(write(t, "s.yaml", `
model: m-1
answers:
  - {text: hi, finish: length, usage: {input: 1, output: 2}}
  - {text_file: `+plan+`}
  - {status: 429, retry_after: 3, headers: {X-Should-Retry: "true"}}
  - {delay: 2s, connection: reset_before, times: 3}
  - {tool: {name: submit_plan, arguments: "{", twice: true}, stream: true}
  - {error: {message: overloaded, type: t, code: c}, echo: true}
  - {body: "<html>", status: 502, content_type: text/plain, padding: 9}
default: {refusal: "no"}
`))
	require.NoError(t, err)
	require.Equal(t, modelserver.Script{
		Model: "m-1",
		Answers: []modelserver.Answer{
			{Text: "hi", Finish: modelserver.FinishLength, Usage: &modelserver.Usage{Input: 1, Output: 2}},
			{Text: "{\"actions\": []}\n", TextFile: plan},
			{Status: 429, RetryAfter: "3", Headers: map[string]string{"X-Should-Retry": "true"}},
			{Delay: 2 * time.Second, Connection: modelserver.ResetBefore, Times: 3},
			{Tool: &modelserver.Tool{Name: "submit_plan", Arguments: "{", Twice: true}, Stream: true},
			{Error: &modelserver.Error{Message: "overloaded", Type: "t", Code: "c"}, Echo: true},
			{Body: "<html>", Status: 502, ContentType: "text/plain", Padding: 9},
		},
		Default: &modelserver.Answer{Refusal: "no"},
	}, script)
}

func TestLoadRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"":                                              "the script is empty",
		"model: x":                                      "has no answers",
		"answers: []":                                   "has no answers",
		"answers: [{txt: x}]":                           `unknown field "txt"`,
		"answers: [{text: [x]}]":                        "text",
		"answers: [{}]\n---\nmodel: x":                  "more follows",
		"answers:\n- {}\n- {times: -1}":                 "s.yaml:3: answer 2: times",
		"answers: [{status: 99}]":                       "status",
		"answers: [{connection: gone}]":                 "connection: use",
		"answers: [{text: x, status: 500}]":             "leave one of them out",
		"answers: [{body: x, refusal: y}]":              "leave out what it replaces",
		"answers: [{text: x, text_file: y}]":            "one of text and text_file",
		"answers: [{text_file: nowhere}]":               "text_file",
		"answers: [{status: 429, retry_after: imf:x}]":  "imf: is followed by a time",
		"answers: [{headers: {\"a b\": c}}]":            "headers",
		"answers: [{}]\ndefault: {padding: 1000000000}": "s.yaml:2: default: times",
	} {
		_, err := modelserver.Load(write(t, "s.yaml", text))
		require.ErrorContains(t, err, says, text)
	}
	_, err := modelserver.Load("/nowhere/s.yaml")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// console is a command's output, which is read while it runs.
type console struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

func (c *console) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// The script of docs/model-server.md, served by the command as it is described
// there.
func TestDocumentedExample(t *testing.T) {
	document, err := os.ReadFile("../../docs/model-server.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(document), -1)
	require.Len(t, found, 1)
	record := filepath.Join(t.TempDir(), "record")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out console
	done := make(chan int, 1)
	args := []string{"--script", write(t, "answers.yaml", found[0][1]), "--record", record}
	go func() {
		done <- cli.Run(ctx, modelserver.NewCommand(), args, cli.Streams{Out: &out, Err: &out})
	}()
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "anthropic: base_url: ") }, 20*time.Second, time.Millisecond, out.String())
	url := regexp.MustCompile(`openai: base_url: (\S+)`).FindStringSubmatch(out.String())[1] + "/chat/completions"

	got, err := post(url, asked)
	require.NoError(t, err)
	require.Equal(t, 429, got.status)
	require.Equal(t, "1", got.header.Get("Retry-After"))
	got, err = post(url, asked)
	require.NoError(t, err)
	require.Contains(t, got.body, `"content":"Sure! Here is the plan you asked for."`)
	require.Contains(t, got.body, `"prompt_tokens":1200`)
	require.Contains(t, got.body, `"model":"example-1"`)
	got, err = post(url, asked)
	require.NoError(t, err)
	require.Contains(t, got.body, `"content":"{\"format\": \"holdpoint.actions/1\",\n`)
	for range 2 {
		_, err = post(url, asked)
		require.Error(t, err)
	}
	for range 2 {
		got, err = post(url, asked)
		require.NoError(t, err)
		require.Contains(t, got.body, `"refusal":"I can't help with that."`)
	}

	cancel()
	require.Zero(t, <-done)
	require.Contains(t, out.String(), "call 7: openai")
	require.Contains(t, out.String(), fmt.Sprintf("call 1: openai, %d bytes; the answer is status 429\n", len(asked)))
	recorded, err := os.ReadFile(record)
	require.NoError(t, err)
	require.Equal(t, 7, bytes.Count(recorded, []byte(asked)))
	require.NotContains(t, string(recorded)+out.String(), "KEY")
}

func TestDocumentNamesEveryField(t *testing.T) {
	document, err := os.ReadFile("../../docs/model-server.md")
	require.NoError(t, err)
	source, err := os.ReadFile("answer.go")
	require.NoError(t, err)
	fields := regexp.MustCompile("`yaml:\"([a-z_]+)\"`").FindAllStringSubmatch(string(source), -1)
	require.Greater(t, len(fields), 20)
	for _, field := range fields {
		require.Regexp(t, "[`{ ]"+field[1]+"[`:,]", string(document))
	}
}

func TestCommandNeedsAScript(t *testing.T) {
	var out bytes.Buffer
	require.Equal(t, 2, cli.Run(t.Context(), modelserver.NewCommand(), nil, cli.Streams{Out: &out, Err: &out}))
	require.Contains(t, out.String(), "--script is missing")
}

func TestRecordToAPipeThatNobodyReads(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	command := modelserver.NewCommand()
	command.SetArgs([]string{"--script", write(t, "answers.yaml", "default: {text: x}\n"), "--record", pipe})
	require.ErrorContains(t, command.ExecuteContext(t.Context()), "pipe that nobody reads")
}
