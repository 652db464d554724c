package actions_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// document is one that is in order.
const document = `{"format":"holdpoint.actions/1","actions":[
  {"id":"a","tool":"order","parameters":{"number":1},"documents":["inbox/a.md","inbox/周报.md"]},
  {"id":"b","tool":"mail","into":"mail/shop","parameters":{"z":1,"a":{}},"depends_on":["a"]},
  {"id":"c","tool":"mail","parameters":{},"depends_on":["a","b"]}]}`

func with(t *testing.T, old, text string) []byte {
	t.Helper()
	require.Contains(t, document, old)
	return []byte(strings.Replace(document, old, text, 1))
}

func targets() []planners.Target {
	return []planners.Target{
		{Tool: "order", Name: "shop", Schema: json.RawMessage(`{"type":"object","properties":{"number":{"type":"integer","minimum":1}}}`)},
		{Tool: "mail", Name: "mail/team"}, {Tool: "mail", Name: "mail/shop"},
	}
}

func known() []planners.Document {
	return []planners.Document{{Source: "inbox", Path: "a.md"}, {Source: "inbox", Path: "周报.md"}, {Source: "wiki", Path: "inbox/b.md"}}
}

func TestADocumentIsReadAndProposed(t *testing.T) {
	d, err := actions.Read([]byte(document))
	require.NoError(t, err)
	require.Equal(t, actions.Format, d.Format)
	require.NoError(t, d.CheckParameters(targets()))
	drafts, err := d.Propose(targets(), known())
	require.NoError(t, err)
	require.Equal(t, []planners.DraftAction{
		{ID: "a", Documents: []string{"inbox/a.md", "inbox/周报.md"}, Proposal: tools.Proposal{
			Tool: "order", Parameters: json.RawMessage(`{"number":1}`), AllowedTarget: "shop"}},
		{ID: "b", DependsOn: []string{"a"}, Proposal: tools.Proposal{
			Tool: "mail", Parameters: json.RawMessage(`{"a":{},"z":1}`), AllowedTarget: "mail/shop"}},
		{ID: "c", DependsOn: []string{"a", "b"}, Proposal: tools.Proposal{
			Tool: "mail", Parameters: json.RawMessage(`{}`), AllowedTargets: []string{"mail/team", "mail/shop"}}},
	}, drafts)
}

// Every mistake, and the place that it is said to be at.
func TestMistakesAndTheirPlaces(t *testing.T) {
	for name, tt := range map[string]struct {
		raw  []byte
		want string
	}{
		"no JSON":               {[]byte("{"), "malformed: no JSON: unexpected end of JSON input at byte 1"},
		"a member twice":        {with(t, `"id":"b"`, `"id":"x","id":"b"`), "malformed: a second member of this name, at /actions/1/id (byte 160)"},
		"another field":         {with(t, `"id":"b"`, `"risk":"low","id":"b"`), "/actions/1: additional properties 'risk' not allowed"},
		"a place to escape":     {with(t, `"number":1`, `"a~b/c":[{"number":1}]`), ""},
		"an id twice":           {with(t, `"id":"b"`, `"id":"a"`), "/actions/1/id: action 0 has the id a already"},
		"nothing to wait for":   {with(t, `["a"]`, `["z"]`), "/actions/1/depends_on: there is no action z"},
		"waiting for itself":    {with(t, `["a"]`, `["b"]`), "/actions/1/depends_on: these actions wait for each other: b → b"},
		"a circle":              {with(t, `["a"]`, `["c"]`), "/actions/1/depends_on: these actions wait for each other: b → c → b"},
		"a document twice":      {with(t, `"inbox/周报.md"`, `"inbox/a.md"`), "/actions/0/documents: items at 0 and 1 are equal"},
		"a document of nothing": {with(t, `"inbox/a.md"`, `""`), "/actions/0/documents/0: minLength: got 0, want 1"},
		"an unknown document":   {with(t, `"inbox/a.md"`, `"inbox/b.md"`), `/actions/0/documents: the task has no document "inbox/b.md"`},
		"a document in caps":    {with(t, `"inbox/a.md"`, `"inbox/A.md"`), `/actions/0/documents: the task has no document "inbox/A.md"`},
		"another tool":          {with(t, `"order"`, `"shell"`), `/actions/0/tool: the task does not allow the tool "shell"; it allows order, mail`},
		"another target":        {with(t, `"mail/shop"`, `"mail/boss"`), `/actions/1/into: the task does not allow the tool "mail" to write into "mail/boss"; it allows mail/team, mail/shop`},
		"a parameter":           {with(t, `"number":1`, `"number":0`), "/actions/0/parameters/number: minimum: got 0, want 1"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := actions.Read(tt.raw)
			if err == nil {
				_, err = d.Propose(targets(), known())
			}
			if err == nil {
				err = d.CheckParameters(targets())
			}
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.want)
			require.ErrorAs(t, err, new(*actions.Problem))
		})
	}
}

func TestPlacesAreJSONPointers(t *testing.T) {
	require.Equal(t, `/a~1b/~0/0/\u{202E}`, (&actions.Problem{At: []string{"a/b", "~", "0", "\u202e"}}).Pointer())
	require.Equal(t, "whole", (&actions.Problem{Reason: "whole"}).Error())
	require.Less(t, len((&actions.Problem{At: []string{strings.Repeat("x", 5000)}}).Pointer()), 120)
}

// A tool whose own schema is broken is no reason to pass an action.
func TestASchemaThatCannotBeUsed(t *testing.T) {
	d, err := actions.Read([]byte(document))
	require.NoError(t, err)
	broken := targets()
	broken[0].Schema = json.RawMessage(`{"type":7}`)
	require.EqualError(t, d.CheckParameters(broken), "/actions/0/tool: the schema of the tool's parameters cannot be used")
}

// A long chain is followed once, and a long circle is named in few words.
func TestLongChains(t *testing.T) {
	chain := func(first string) []byte {
		all := make([]string, plan.MaxActions)
		for i := range all {
			after := fmt.Sprintf("a%d", i-1)
			if i == 0 {
				after = first
			}
			all[i] = fmt.Sprintf(`{"id":"a%d","tool":"order","parameters":{},"depends_on":[%q]}`, i, after)
		}
		return []byte(`{"format":"holdpoint.actions/1","actions":[` + strings.Join(all, ",") + `]}`)
	}
	_, err := actions.Read(chain("a999"))
	require.EqualError(t, err, "/actions/0/depends_on: these actions wait for each other: a0 → a999 → a998 → a997 → a996 → a995 → a994 → a993 → … → a0")
	_, err = actions.Read([]byte(strings.Replace(string(chain("x")), `,"depends_on":["x"]`, "", 1)))
	require.NoError(t, err)
}

// What a plan was made of, in the form in which it was proposed.
func TestAPlanInTheFormOfADocument(t *testing.T) {
	several := append(targets(), planners.Target{Tool: "mail", Name: "mail/shop/night"})
	d := actions.Of(plan.Plan{Actions: []plan.Action{
		{ID: "a", Tool: "order", Target: "shop/1", Parameters: json.RawMessage(`{"number":1}`), Documents: []string{"inbox/a.md"}},
		{ID: "b", Tool: "mail", Target: "mail/shop/night/x", Parameters: json.RawMessage(`{}`), DependsOn: []string{"a"}},
		{ID: "c", Tool: "mail", Target: "mail/shop", Parameters: json.RawMessage(`{}`)},
		{ID: "d", Tool: "mail", Target: "mail/shops", Parameters: json.RawMessage(`{}`)},
	}}, several)
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	require.Equal(t, `{"format":"holdpoint.actions/1","actions":[`+
		`{"id":"a","tool":"order","parameters":{"number":1},"documents":["inbox/a.md"]},`+
		`{"id":"b","tool":"mail","into":"mail/shop/night","parameters":{},"depends_on":["a"]},`+
		`{"id":"c","tool":"mail","into":"mail/shop","parameters":{}},`+
		`{"id":"d","tool":"mail","parameters":{}}]}`, string(raw))
	again, err := actions.Read(raw)
	require.NoError(t, err)
	require.Equal(t, d, again)
}

// The schema that is shipped, for those who write a document.
func TestSchemaIsForThoseWhoWriteADocument(t *testing.T) {
	raw, err := os.ReadFile("actions.schema.json")
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, json.Unmarshal(raw, &schema))
	require.Equal(t, "https://json-schema.org/draft/2020-12/schema", schema["$schema"])
	list := schema["properties"].(map[string]any)["actions"].(map[string]any)
	require.EqualValues(t, plan.MaxActions, list["maxItems"])
}
