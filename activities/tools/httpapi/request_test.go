package httpapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
)

// sent is the one write that arrives of a declaration whose body is given.
func sent(t *testing.T, body, number string) scripted.Request {
	t.Helper()
	server := serve(t, scripted.Options{})
	s := newScene(t, open(t, server, withBody(body)), "week-48", number)
	_, err := s.attempt()
	require.NoError(t, err)
	require.Len(t, server.Writes(), 1)
	return server.Writes()[0]
}

func withBody(body string) string {
	return strings.NewReplacer(`body: {number: "{{params.number}}", reference: "{{key}}"}`, body, `item: "{{params.number}}"`, "item: one").
		Replace(onceOrders)
}

func TestBodies(t *testing.T) {
	tests := []struct {
		name, body, number, want, contentType string
	}{
		{
			"JSON, members by name, nothing escaped that need not be",
			`body: {z: 1, a: "<{{params.number}}>&", list: ["{{1 + 1}}", "{{['x']}}", null, 1.5], "no": false}`, "5",
			`{"a":"<5>&","list":[2,["x"],null,1.5],"no":false,"z":1}`, "application/json",
		},
		{"another JSON type", "body: {a: 1}\n  content_type: application/merge-patch+json", "5", `{"a":1}`, "application/merge-patch+json"},
		{
			"form", `form: {title: "{{params.number}}", n: 3, yes: true, out: null, gone: "{{null}}", tag: ["a b", c]}`, "a&b=周",
			"n=3&tag=a+b&tag=c&title=a%26b%3D%E5%91%A8&yes=true", "application/x-www-form-urlencoded",
		},
		{"text", "text: \"<n>{{params.number}}</n>\"\n  content_type: application/xml", "5", "<n>5</n>", "application/xml"},
		{"nothing", "headers: {X-A: b}", "5", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := sent(t, tt.body, tt.number)
			require.Equal(t, tt.want, got.Body)
			require.Equal(t, tt.contentType, got.Header.Get("Content-Type"))
		})
	}
}

func TestRequestsThatCannotBeMadeAreRefusedInThePlan(t *testing.T) {
	tests := []struct{ name, body, number, want string }{
		{"a header with a line end", `headers: {X-A: "{{params.number}}"}`, "a\nX-B: c", "the header X-A"},
		{"a header beyond ASCII", `headers: {X-A: "{{params.number}}"}`, "周报", "the header X-A"},
		{"a header with blanks at its end", `headers: {X-A: "{{params.number}}"}`, "a ", "the header X-A"},
		{"an expression without a value", `body: {a: "{{params.number.size()}}", b: "{{int(params.number)}}"}`, "x", "has no value"},
		{"an object in a form", `form: {a: {b: c}}`, "x", "the form field a"},
		{"more than the limit", "body: {a: \"{{params.number}}\"}\n  max_request_bytes: 10", "123", "has 11 bytes; the tool's limit is 10"},
		{"no number of JSON", `body: {a: "{{1.0 / 0.0}}"}`, "x", "JSON cannot carry"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, scripted.Options{})
			tool := open(t, server, withBody(tt.body))
			_, err := tool.Prepare(t.Context(), tools.Proposal{Parameters: []byte(jsonOf(tt.number)), AllowedTarget: "shop"})
			fault := requireFault(t, err, faults.Permanent, "bad_request")
			require.Contains(t, fault.Reason, tt.want)
			require.Empty(t, server.Writes())
		})
	}
}

func jsonOf(number string) string {
	return `{"number":"` + strings.NewReplacer("\n", `\n`).Replace(number) + `"}`
}

func TestReceiptTimes(t *testing.T) {
	server := serve(t, scripted.Options{})
	s := newScene(t, open(t, server, replace(onceOrders, "{ref: body.id}", "{ref: body.id, at: body.at}")), "week-48", "A-1")
	server.Script(scripted.Answer{Body: `{"id":"7","at":"2026-11-30T10:00:00+01:00"}`})
	out, err := s.attempt()
	require.NoError(t, err)
	require.Equal(t, "2026-11-30T09:00:00Z", out.Receipt.At.Format("2006-01-02T15:04:05Z07:00"))
}

func TestReceiptOfANumberAndALongDetail(t *testing.T) {
	server := serve(t, scripted.Options{})
	s := newScene(t, open(t, server, replace(onceOrders, "{ref: body.id}", "{ref: body.id, detail: body.text}")), "week-48", "A-1")
	server.Script(scripted.Answer{Body: "\uFEFF" + `{"id":9007199254740993,"text":"one\n two\u0000` + strings.Repeat("x", 5000) + `"}`})
	out, err := s.attempt()
	require.NoError(t, err)
	require.Equal(t, "9007199254740993", out.Receipt.Ref)
	require.Contains(t, out.Receipt.Detail, "one two")
	require.Less(t, len(out.Receipt.Detail), 600)
}

func TestNothingIsLeftBehind(t *testing.T) {
	server := serve(t, scripted.Options{})
	tool := open(t, server, quick(onceOrders))
	s := newScene(t, tool, "week-48", "A-1")
	before := goleak.IgnoreCurrent()
	server.Script(scripted.Answer{}, scripted.Answer{Wait: 0, Ending: scripted.Reset}, scripted.Answer{Body: strings.Repeat("x", 2<<20)})
	for range 3 {
		tool.Apply(t.Context(), s.call())
	}
	require.NoError(t, server.Close())
	tool.Apply(t.Context(), s.call())
	goleak.VerifyNone(t, before)
}
