package modelserver_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/modelserver"
)

const asked = `{"model":"asked","messages":[{"role":"user","content":"x"}]}`

// path is where an API takes calls.
func path(api modelserver.API) string {
	if api == modelserver.OpenAI {
		return "/v1/chat/completions"
	}
	return "/v1/messages"
}

func start(t *testing.T, script modelserver.Script) *modelserver.Server {
	t.Helper()
	server, err := modelserver.Start(modelserver.Options{Script: script})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return server
}

// answered is what came back.
type answered struct {
	status int // 0: nothing did
	header http.Header
	body   string
}

// post makes one call, on a connection of its own. Beside an error it returns
// what came before it.
func post(url, body string) (answered, error) {
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return answered{}, err
	}
	request.Header.Set("Authorization", "Bearer KEY")
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answered{}, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return answered{response.StatusCode, response.Header, string(raw)}, err
}

func TestBodies(t *testing.T) {
	usage := &modelserver.Usage{Input: 7, Output: 3}
	call := &modelserver.Tool{Name: "submit_plan", Arguments: `{"a": 1}`}
	completion := func(message, finish string) string {
		return `{"id":"scripted-1","object":"chat.completion","created":1700000000,"model":"scripted-1","choices":[{"index":0,"logprobs":null,"message":` +
			message + `,"finish_reason":"` + finish + `"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`
	}
	message := func(content, reason string) string {
		return `{"id":"scripted-1","type":"message","role":"assistant","model":"scripted-1","content":` + content + `,"stop_reason":"` + reason +
			`","stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":3}}`
	}
	for name, tt := range map[string]struct {
		answer            modelserver.Answer
		openai, anthropic string
	}{
		"text": {
			modelserver.Answer{Text: "hi", Usage: usage},
			completion(`{"role":"assistant","content":"hi","refusal":null}`, "stop"), message(`[{"type":"text","text":"hi"}]`, "end_turn"),
		},
		"empty": {
			modelserver.Answer{Usage: usage}, completion(`{"role":"assistant","content":"","refusal":null}`, "stop"), message(`[]`, "end_turn"),
		},
		"cut": {
			modelserver.Answer{Text: "h", Finish: modelserver.FinishLength, Usage: usage},
			completion(`{"role":"assistant","content":"h","refusal":null}`, "length"), message(`[{"type":"text","text":"h"}]`, "max_tokens"),
		},
		"filtered": {
			modelserver.Answer{Finish: modelserver.FinishFilter, Usage: usage},
			completion(`{"role":"assistant","content":"","refusal":null}`, "content_filter"), message(`[]`, "refusal"),
		},
		"refusal": {
			modelserver.Answer{Refusal: "no", Usage: usage},
			completion(`{"role":"assistant","content":null,"refusal":"no"}`, "stop"), message(`[{"type":"text","text":"no"}]`, "refusal"),
		},
		"tool": {
			modelserver.Answer{Tool: call, Usage: usage},
			completion(`{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"submit_plan","arguments":"{\"a\": 1}"}}]}`, "tool_calls"),
			message(`[{"type":"tool_use","id":"toolu_1","name":"submit_plan","input":{"a":1}}]`, "tool_use"),
		},
		"error": {
			modelserver.Answer{Error: &modelserver.Error{Message: "overloaded"}},
			`{"error":{"message":"overloaded","type":"server_error","param":null,"code":null}}`,
			`{"type":"error","error":{"type":"api_error","message":"overloaded"},"request_id":"req_scripted"}`,
		},
		"401": {
			modelserver.Answer{Status: 401},
			`{"error":{"message":"scripted: Unauthorized","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			`{"type":"error","error":{"type":"authentication_error","message":"scripted: Unauthorized"},"request_id":"req_scripted"}`,
		},
		"echo": {
			modelserver.Answer{Status: 401, Echo: true},
			`{"error":{"message":"these credentials are wrong: KEY","type":"KEY","param":null,"code":"KEY"}}`,
			`{"type":"error","error":{"type":"KEY","message":"these credentials are wrong: KEY"},"request_id":"req_scripted"}`,
		},
	} {
		for api, want := range map[modelserver.API]string{modelserver.OpenAI: tt.openai, modelserver.Anthropic: tt.anthropic} {
			t.Run(name+" "+string(api), func(t *testing.T) {
				server := start(t, modelserver.Script{Answers: []modelserver.Answer{tt.answer}})
				got, err := post(server.URL+path(api), asked)
				require.NoError(t, err)
				require.Equal(t, max(tt.answer.Status, 200), got.status)
				require.Equal(t, "application/json", got.header.Get("Content-Type"))
				require.JSONEq(t, want, got.body)
			})
		}
	}
}

func TestOrder(t *testing.T) {
	texts := func(s modelserver.Script, calls int) (said string) {
		server := start(t, s)
		for range calls {
			answer, err := post(server.OpenAIURL()+"/chat/completions", asked)
			require.NoError(t, err)
			var got struct {
				Choices []struct{ Message struct{ Content string } }
			}
			require.NoError(t, json.Unmarshal([]byte(answer.body), &got))
			said += got.Choices[0].Message.Content
		}
		return said
	}
	a, b := modelserver.Answer{Text: "a"}, modelserver.Answer{Text: "b", Times: 2}
	require.Equal(t, "abbbb", texts(modelserver.Script{Answers: []modelserver.Answer{a, b}}, 5))
	require.Equal(t, "bbaaa", texts(modelserver.Script{Answers: []modelserver.Answer{b}, Default: &a}, 5))
}

func TestCallsAreKept(t *testing.T) {
	server := start(t, modelserver.Script{Answers: []modelserver.Answer{{Status: 500}}})
	for _, api := range []modelserver.API{modelserver.OpenAI, modelserver.Anthropic} {
		got, err := post(server.URL+path(api), asked)
		require.NoError(t, err)
		require.Equal(t, 500, got.status)
	}
	server.Add(modelserver.Answer{Text: "late"})
	got, err := post(server.OpenAIURL()+"/chat/completions", asked)
	require.NoError(t, err)
	require.Contains(t, got.body, "late", "what is added is next")
	for _, request := range []string{"no JSON", `{"model":"x"}`, `{"messages":[1]}`, `{"model":"x","messages":[1],"stream":true}`} {
		got, err := post(server.URL+path(modelserver.Anthropic), request)
		require.NoError(t, err)
		require.Equal(t, 400, got.status)
	}
	got, err = post(server.URL+"/v1/responses", asked)
	require.NoError(t, err)
	require.Equal(t, 404, got.status)

	calls := server.Calls()
	require.Len(t, calls, 3, "what takes no answer is no call")
	require.Equal(t, []modelserver.API{modelserver.OpenAI, modelserver.Anthropic}, []modelserver.API{calls[0].API, calls[1].API})
	require.Equal(t, asked, string(calls[0].Body))
	require.Equal(t, "Bearer KEY", calls[0].Header.Get("Authorization"))
	require.Equal(t, 2, calls[1].Number)
}

func TestHowAnswersArrive(t *testing.T) {
	full := modelserver.Answer{Text: strings.Repeat("x", 1000)}
	with := func(c modelserver.Connection) modelserver.Answer { a := full; a.Connection = c; return a }
	server := start(t, modelserver.Script{Answers: []modelserver.Answer{
		with(modelserver.ResetBefore), with(modelserver.ResetWithin), with(modelserver.ClosedWithin),
		{Text: "x", Padding: 5000}, {Body: "<html>", Status: 200}, {Text: "x", Stream: true}, {Text: "x", Delay: 50 * time.Millisecond},
	}})
	call := func() (answered, error) { return post(server.OpenAIURL()+"/chat/completions", asked) }

	got, err := call()
	require.Error(t, err)
	require.Zero(t, got)
	got, err = call()
	require.ErrorIs(t, err, syscall.ECONNRESET)
	require.NotEmpty(t, got.body)
	got, err = call()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NotEmpty(t, got.body)

	got, err = call()
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(got.body, strings.Repeat(" ", 5000)))
	got, err = call()
	require.NoError(t, err)
	require.Equal(t, "<html>", got.body)
	require.Equal(t, "text/html; charset=utf-8", got.header.Get("Content-Type"))
	got, err = call()
	require.NoError(t, err)
	require.Equal(t, "text/event-stream", got.header.Get("Content-Type"))
	require.True(t, strings.HasPrefix(got.body, "data: {") && strings.HasSuffix(got.body, "data: [DONE]\n\n"), got.body)
	began := time.Now()
	_, err = call()
	require.NoError(t, err)
	require.GreaterOrEqual(t, time.Since(began), 50*time.Millisecond)
}

func TestRetryAfter(t *testing.T) {
	for value, layout := range map[string]string{
		"imf:3s": http.TimeFormat, "rfc850:3s": "Monday, 02-Jan-06 15:04:05 GMT", "asctime:3s": time.ANSIC, "imf:-1h": http.TimeFormat,
	} {
		server := start(t, modelserver.Script{Answers: []modelserver.Answer{{Status: 429, RetryAfter: value}}})
		got, err := post(server.URL+path(modelserver.Anthropic), asked)
		require.NoError(t, err)
		until, err := time.Parse(layout, got.header.Get("Retry-After"))
		require.NoError(t, err, value)
		date, err := http.ParseTime(got.header.Get("Date"))
		require.NoError(t, err)
		want := 3 * time.Second
		if value == "imf:-1h" {
			want = -time.Hour
		}
		require.Equal(t, want, until.Sub(date), value)
	}
	for _, value := range []string{"3", "-1", "soon", "99999999999999999999", ""} {
		server := start(t, modelserver.Script{Answers: []modelserver.Answer{{Status: 503, RetryAfter: value}}})
		got, err := post(server.URL+path(modelserver.Anthropic), asked)
		require.NoError(t, err)
		require.Equal(t, value, got.header.Get("Retry-After"))
	}
}

func TestModels(t *testing.T) {
	server := start(t, modelserver.Script{Model: "m-9"})
	response, err := http.Get(server.OpenAIURL() + "/models")
	require.NoError(t, err)
	defer response.Body.Close()
	var got bytes.Buffer
	_, err = got.ReadFrom(response.Body)
	require.NoError(t, err)
	require.JSONEq(t, `{"object":"list","data":[{"id":"m-9","object":"model","created":1700000000,"owned_by":"scripted"}]}`, got.String())
}
