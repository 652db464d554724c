package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
)

// finds is a lookup whose answers the test's own server gives.
const finds = head + `
class: lookup
http:
  hosts: ["ADDRESS"]
  url: URL/orders
  body: {reference: "{{key}}"}
  receipt: {ref: body.id}
  lookup:
    method: POST
    url: URL/find/{{key}}
    statuses: [200, 404, 410]
    found: body.items.exists(i, i.reference == key) || status == 410
    absent: size(body.items) == 0 || status == 404 || status == 410
    authoritative: AUTHORITY
    receipt: {ref: "body.items[0].id"}
`

func TestFind(t *testing.T) {
	const there = `{"items":[{"id":"7","reference":"KEY"}]}`
	tests := []struct {
		name      string
		status    int
		body      string
		authority string
		want      tools.Presence
		code      string // of the error; empty: none
	}{
		{"found", 200, there, "true", tools.Found, ""},
		{"found, not the authority", 200, there, "false", tools.Found, ""},
		{"absent", 200, `{"items":[]}`, "true", tools.Absent, ""},
		{"absent, not the authority", 200, `{"items":[]}`, "false", tools.NotProven, ""},
		{"absent by status", 404, `{"items":[]}`, "true", tools.Absent, ""},
		{"both at once", 410, `{"items":[]}`, "true", tools.NotProven, ""},
		{"neither", 200, `{"items":[{"id":"7","reference":"other"}]}`, "true", tools.NotProven, ""},
		{"another form", 200, `[]`, "true", tools.NotProven, "answer_not_judged"},
		{"no form that shows it, and a status that says absent", 404, `{"message":"not found"}`, "true", tools.NotProven, "answer_not_judged"},
		{"no form that shows it, and no authority", 404, `{"message":"not found"}`, "false", tools.NotProven, "answer_not_judged"},
		{"no JSON", 200, `<html>Log in</html>`, "true", tools.NotProven, "answer_not_judged"},
		{"found without an id", 200, `{"items":[{"reference":"KEY"}]}`, "true", tools.NotProven, "no_receipt"},
		{"not allowed", 403, there, "true", tools.NotProven, "http_403"},
		{"broken", 500, `{"items":[]}`, "true", tools.NotProven, "http_500"},
		{"slow down", 429, `{"items":[]}`, "true", tools.NotProven, "http_429"},
		{"another status", 204, ``, "true", tools.NotProven, "http_204"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, scripted.Options{})
			tool := open(t, server, replace(finds, "AUTHORITY", tt.authority)).(tools.Finder)
			s := newScene(t, tool, "week-48", "A-1")
			server.Script(scripted.Refusal(tt.status, replace(tt.body, "KEY", s.action.IdempotencyKey)))

			found, err := tool.Find(t.Context(), s.call())
			if tt.code != "" {
				require.ErrorContains(t, err, tt.code+":")
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, found.Presence)
			require.NotEmpty(t, found.Detail)
			require.Equal(t, "/find/"+s.action.IdempotencyKey, server.Writes()[0].URI)
			if tt.want == tools.Found {
				require.Equal(t, "7", found.Receipt.Ref)
				require.Equal(t, s.action.IdempotencyKey, found.Receipt.IdempotencyKey)
			}
		})
	}
}

// Of an answer on which one of the two expressions has no value, only that the
// effect is there can be concluded.
func TestAbsenceNeedsBothExpressions(t *testing.T) {
	declaration := func(found, absent string) string {
		text := replace(finds, "AUTHORITY", "true")
		text = replace(text, "found: body.items.exists(i, i.reference == key) || status == 410", "found: "+found)
		return replace(text, "absent: size(body.items) == 0 || status == 404 || status == 410", "absent: "+absent)
	}
	const yes, no, none = "key != ''", "key == ''", "body.nothing == key"
	for _, tt := range []struct {
		found, absent string
		want          tools.Presence
		judged        bool
	}{
		{yes, yes, tools.NotProven, true},
		{yes, no, tools.Found, true},
		{yes, none, tools.Found, true},
		{no, yes, tools.Absent, true},
		{no, no, tools.NotProven, true},
		{no, none, tools.NotProven, false},
		{none, yes, tools.NotProven, false},
		{none, no, tools.NotProven, false},
		{none, none, tools.NotProven, false},
	} {
		server := serve(t, scripted.Options{})
		server.Script(scripted.Refusal(200, `{"items":[{"id":"7"}]}`))
		tool := open(t, server, declaration(tt.found, tt.absent)).(tools.Finder)
		found, err := tool.Find(t.Context(), newScene(t, tool, "week-48", "A-1").call())
		if !tt.judged {
			require.ErrorContains(t, err, "answer_not_judged:", "%+v", tt)
			require.Equal(t, faults.Transient, faults.ClassOf(err), "it is asked again")
			continue
		}
		require.NoError(t, err, "%+v", tt)
		require.Equal(t, tt.want, found.Presence, "%+v", tt)
	}
}

func TestCount(t *testing.T) {
	count := func(t *testing.T, server *scripted.Server, declaration string, sends int) int {
		t.Helper()
		tool := open(t, server, declaration)
		s := newScene(t, tool, "week-48", "A-1")
		for range sends {
			_, err := tool.Apply(t.Context(), s.call())
			require.NoError(t, err)
		}
		n, err := tool.Count(t.Context(), s.call())
		require.NoError(t, err)
		return n
	}
	counted := onceOrders + `
  count: {url: "URL/orders?reference={{key}}", value: size(body.items)}
`
	for sends := range 3 {
		require.Equal(t, sends, count(t, serve(t, scripted.Options{}), counted, sends))
	}
	require.Equal(t, -1, count(t, serve(t, scripted.Options{}), onceOrders, 1), "nothing can tell")
	require.Equal(t, 0, count(t, serve(t, scripted.Options{}), foundOrders, 0))
	require.Equal(t, 1, count(t, serve(t, scripted.Options{}), foundOrders, 1))
	require.Equal(t, 1, count(t, serve(t, scripted.Options{}), pages+createOnly, 1))
	require.Equal(t, -1, count(t, serve(t, scripted.Options{}), pages+createOnly, 0), "others may have written over it")
}
