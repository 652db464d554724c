package given_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/given"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// request is one whose task allows orders, and mail to two places.
func request(documents ...planners.Document) planners.Request {
	return planners.Request{
		Tenant: "acme", BusinessID: "b", Goal: "g", Documents: documents,
		Targets: []planners.Target{
			{Tool: "open_order", Name: "shop/orders"}, {Tool: "send_mail", Name: "mail/team"}, {Tool: "send_mail", Name: "mail/shop"},
		},
	}
}

func document(path, text string) planners.Document {
	return planners.Document{Source: "inbox", Path: path, Text: text}
}

const asJSON = `{
  "format": "holdpoint.actions/1",
  "notes": ["asked for on the phone"],
  "actions": [
    {"id": "order", "tool": "open_order", "parameters": {"number": "2026-1188", "count": 3}},
    {"id": "mail", "tool": "send_mail", "into": "mail/shop", "parameters": {"text": "周报 <b>"}, "depends_on": ["order"]},
    {"id": "more", "tool": "send_mail", "parameters": {}, "depends_on": ["order", "mail"]}
  ]
}`

const asYAML = `# handed in by the agent
format: holdpoint.actions/1
notes: [asked for on the phone]
actions:
  - id: order
    tool: open_order
    parameters: {number: "2026-1188", count: 3}
  - id: mail
    tool: send_mail
    into: mail/shop
    parameters: {text: "周报 <b>"}
    depends_on: [order]
  - id: more
    tool: send_mail
    parameters: {}
    depends_on: [order, mail]
`

func TestActionsAreProposedAsTheyWereHandedIn(t *testing.T) {
	for path, text := range map[string]string{"actions.json": asJSON, "deep/down/actions.yaml": asYAML} {
		d := document(path, text)
		d.Digest = plan.Sum([]byte(text))
		draft, err := given.Planner{}.Plan(t.Context(), request(document("readme.md", "# Hello"), d, document("old-actions.json", "{}")))
		require.NoError(t, err, path)
		require.Equal(t, planners.Draft{
			Notes: []string{"asked for on the phone", "the actions were handed in as inbox/" + path + ", " + plan.Sum([]byte(text)).String()},
			Actions: []planners.DraftAction{
				{ID: "order", Proposal: tools.Proposal{
					Tool: "open_order", Parameters: json.RawMessage(`{"count":3,"number":"2026-1188"}`), AllowedTarget: "shop/orders",
				}},
				{ID: "mail", DependsOn: []string{"order"}, Proposal: tools.Proposal{
					Tool: "send_mail", Parameters: json.RawMessage(`{"text":"周报 <b>"}`), AllowedTarget: "mail/shop",
				}},
				{ID: "more", DependsOn: []string{"order", "mail"}, Proposal: tools.Proposal{
					Tool: "send_mail", Parameters: json.RawMessage(`{}`), AllowedTargets: []string{"mail/team", "mail/shop"},
				}},
			},
		}, draft)
	}
}

func TestPlannerNamesItself(t *testing.T) {
	require.Equal(t, "given", given.Planner{}.Name())
	require.Equal(t, "1", given.Planner{}.Version())
}

// Another revision is made when a target has changed meanwhile: the same
// actions, to be previewed anew. A wish for other actions is another matter.
func TestPlanIsMadeAnewAndNeverRevised(t *testing.T) {
	r := request(document("actions.json", asJSON))
	first, err := given.Planner{}.Plan(t.Context(), r)
	require.NoError(t, err)
	r.Revision = 1
	again, err := given.Planner{}.Plan(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, first, again)

	r.Feedback = []string{"leave out the mail"}
	_, err = given.Planner{}.Plan(t.Context(), r)
	require.ErrorContains(t, err, "hand in another file and start again")
	require.Equal(t, "cannot_revise", faults.Name(err).Code)
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
}

func TestOneFileHoldsTheActions(t *testing.T) {
	for name, tt := range map[string]struct {
		documents []planners.Document
		want      string
	}{
		"none":              {nil, "none of the task's 0 documents is named actions.json or actions.yaml"},
		"others":            {[]planners.Document{document("my-actions.json", "{}"), document("actions.yml", ""), document("Actions.json", "")}, "none of the task's 3 documents"},
		"two":               {[]planners.Document{document("a/actions.json", asJSON), document("b/actions.json", asJSON)}, "2 documents hold actions, among them inbox/a/actions.json and inbox/b/actions.json"},
		"both formats":      {[]planners.Document{document("actions.json", asJSON), document("actions.yaml", asYAML)}, "2 documents hold actions"},
		"a name to deceive": {[]planners.Document{document("a\u202e/actions.json", "{}"), document("b\n/actions.json", "{}")}, `inbox/a\u{202E}/actions.json and inbox/b\u{000A}/actions.json`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := given.Planner{}.Plan(t.Context(), request(tt.documents...))
			require.ErrorContains(t, err, tt.want)
			require.Equal(t, faults.Permanent, faults.ClassOf(err))
		})
	}
}

// one is a file with one action, in which a test changes something.
const one = `format: holdpoint.actions/1
actions:
  - id: a
    tool: open_order
    parameters: {}
`

func TestYAMLThatIsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ old, text, want string }{
		"nothing":             {one, "", "inbox/actions.yaml: the file is empty"},
		"no YAML":             {one, "a: [", "inbox/actions.yaml:1: did not find expected node content"},
		"two documents":       {one, one + "---\n" + one, "inbox/actions.yaml:6: more follows after the end of the document"},
		"a list":              {one, "- a\n", "inbox/actions.yaml:1: got array, want object"},
		"no format":           {"format: holdpoint.actions/1\n", "", "inbox/actions.yaml:1: missing property 'format'"},
		"another format":      {"actions/1", "actions/2", "inbox/actions.yaml:1: /format: value must be 'holdpoint.actions/1'"},
		"no actions":          {"actions:\n  - id: a\n    tool: open_order\n    parameters: {}\n", "actions: []\n", "inbox/actions.yaml:2: /actions: minItems: got 0, want 1"},
		"an unknown field":    {"    tool:", "    risk: low\n    tool:", "inbox/actions.yaml:3: /actions/0: additional properties 'risk' not allowed"},
		"a field in caps":     {"    tool:", "    Tool:", "inbox/actions.yaml:3: /actions/0: missing property 'tool'"},
		"a field twice":       {"    parameters: {}", "    parameters: {}\n    tool: send_mail", "inbox/actions.yaml:6: tool stands in line 4 already"},
		"a parameter twice":   {"{}", "\n      x: 1\n      x: 2", "inbox/actions.yaml:7: x stands in line 6 already"},
		"a key of its own":    {"    tool:", "    idempotency_key: '1'\n    tool:", "'idempotency_key' not allowed"},
		"parameters as text":  {"{}", "'{}'", "inbox/actions.yaml:5: /actions/0/parameters: got string, want object"},
		"no parameters":       {"    parameters: {}\n", "", "inbox/actions.yaml:3: /actions/0: missing property 'parameters'"},
		"an id with a blank":  {"id: a", "id: a b", `inbox/actions.yaml:3: /actions/0/id: does not match the pattern ^[A-Za-z0-9._-]{1,64}$`},
		"a number as id":      {"id: a", "id: 7", "inbox/actions.yaml:3: /actions/0/id: got number, want string"},
		"depends twice":       {"{}", "{}\n    depends_on: [x, x]", "inbox/actions.yaml:6: /actions/0/depends_on: items at 0 and 1 are equal"},
		"another tool":        {"open_order", "shell", `inbox/actions.yaml:4: /actions/0/tool: the task does not allow the tool "shell"; it allows open_order, send_mail`},
		"a tool in caps":      {"open_order", "Open_Order", `/actions/0/tool: the task does not allow the tool "Open_Order"`},
		"another target":      {"{}", "{}\n    into: shop/other", `inbox/actions.yaml:6: /actions/0/into: the task does not allow the tool "open_order" to write into "shop/other"; it allows shop/orders`},
		"below the target":    {"{}", "{}\n    into: shop/orders/x", `it allows shop/orders`},
		"a note of nothing":   {"actions:", "notes: ['']\nactions:", "inbox/actions.yaml:2: /notes/0: minLength: got 0, want 1"},
		"a number of nothing": {"{}", "{a: .nan}", "inbox/actions.yaml:5: JSON has no number .nan"},
		"a number too large":  {"{}", "{a: 12345678901234567890}", "/actions/0/parameters/a"},
		"a bad byte":          {"id: a", "id: a # \uFFFD", "inbox/actions.yaml:3: character 13 of the line is U+FFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, one, tt.old)
			text := strings.Replace(one, tt.old, tt.text, 1)
			_, err := given.Planner{}.Plan(t.Context(), request(document("actions.yaml", text)))
			refused(t, err, tt.want)
		})
	}
}

func TestJSONThatIsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":           {"", "inbox/actions.json: the file is malformed: there is no JSON"},
		"cut off":           {asJSON[:100], "inbox/actions.json: the file is malformed: no JSON"},
		"two values":        {asJSON + "{}", "inbox/actions.json: the file is malformed"},
		"in a fence":        {"```json\n" + asJSON + "\n```", "inbox/actions.json: the file is malformed"},
		"a member twice":    {`{"format":"holdpoint.actions/1","actions":[],"actions":[]}`, "a second member of this name, at /actions (byte"},
		"a parameter twice": {`{"format":"holdpoint.actions/1","actions":[{"id":"a","tool":"open_order","parameters":{"x":1,"x":2}}]}`, "a second member of this name, at /actions/0/parameters/x (byte"},
		"a lone surrogate":  {`{"format":"\ud800"}`, "an escape of a lone surrogate, at /format"},
		"null":              {"null", "inbox/actions.json: got null, want object"},
		"an unknown field":  {`{"format":"holdpoint.actions/1","actions":[{"id":"a","tool":"open_order","parameters":{},"approved":true}]}`, "inbox/actions.json: /actions/0: additional properties 'approved' not allowed"},
		"many actions":      {many(1001), "inbox/actions.json: /actions: maxItems: got 1,001, want 1,000"},
		"a huge file":       {strings.Repeat(" ", 16<<20) + "{}", "inbox/actions.json: the file has 16777218 bytes; at most 16777216 are read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := given.Planner{}.Plan(t.Context(), request(document("actions.json", tt.text)))
			refused(t, err, tt.want)
		})
	}
}

func refused(t *testing.T, err error, want string) {
	t.Helper()
	require.ErrorContains(t, err, want)
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
	require.Equal(t, "bad_actions", faults.Name(err).Code)
	require.NotContains(t, err.Error(), "\n")
	require.Less(t, len(err.Error()), 1200)
}

// many is a file of n actions.
func many(n int) string {
	actions := make([]string, n)
	for i := range actions {
		actions[i] = fmt.Sprintf(`{"id":"a%d","tool":"open_order","parameters":{}}`, i)
	}
	return `{"format":"holdpoint.actions/1","actions":[` + strings.Join(actions, ",") + `]}`
}

func TestAsManyActionsAsAPlanCanHave(t *testing.T) {
	draft, err := given.Planner{}.Plan(t.Context(), request(document("actions.json", many(plan.MaxActions))))
	require.NoError(t, err)
	require.Len(t, draft.Actions, 1000)
	require.Equal(t, "a999", draft.Actions[999].ID)
}

// Names that a model made up are shortened, and can neither draw on a screen
// nor break a line.
func TestErrorsShowWhatTheyQuote(t *testing.T) {
	text := `{"format":"holdpoint.actions/1","actions":[{"id":"a","tool":"open_order","parameters":{},"` +
		`\u001b[2J\u202e` + strings.Repeat("x", 5000) + `":1}]}`
	_, err := given.Planner{}.Plan(t.Context(), request(document("actions.json", text)))
	refused(t, err, `additional properties '\x1b[2J\u202exxx`)
}

// The example of the documentation is a file that is accepted.
func TestExampleOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "tools", "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "```json\n")
	require.True(t, found)
	example, _, _ := strings.Cut(rest, "```")
	r := request(document("actions.json", example))
	r.Targets = []planners.Target{{Tool: "open_issue", Name: "tracker"}, {Tool: "gitpages", Name: "kb"}, {Tool: "gitpages", Name: "kb/incidents"}}
	draft, err := given.Planner{}.Plan(t.Context(), r)
	require.NoError(t, err)
	require.Len(t, draft.Actions, 2)
	require.Equal(t, "kb/incidents", draft.Actions[1].Proposal.AllowedTarget)
}

// What was handed in with the task is the plan, whatever else lies there.
func TestThePlanOfTheTaskGoesBeforeOthers(t *testing.T) {
	handed := planners.Document{Source: "plan", Path: "actions.yaml", Text: one}
	r := request(document("actions.json", asJSON), handed, document("b/actions.yaml", asYAML))
	draft, err := given.Planner{}.Plan(t.Context(), r)
	require.NoError(t, err)
	require.Len(t, draft.Actions, 1)
	require.Equal(t, []string{"the actions were handed in as plan/actions.yaml"}, draft.Notes)

	r.Documents = append(r.Documents, planners.Document{Source: "plan", Path: "b/actions.json", Text: asJSON})
	_, err = given.Planner{}.Plan(t.Context(), r)
	require.ErrorContains(t, err, "2 documents hold actions, among them plan/actions.yaml and plan/b/actions.json")
}

// The file that is read is the one that was handed in, and not a text that was
// made of it. No other document is read.
func TestBytesAreReadAndNotRepaired(t *testing.T) {
	for name, tt := range map[string]struct{ bytes, want string }{
		"as it was":         {one, ""},
		"a byte order mark": {"\uFEFF" + one, ""},
		"line ends":         {strings.ReplaceAll(one, "\n", "\r\n"), ""},
		"a NUL":             {strings.Replace(one, "id: a", "id: a\x00", 1), "inbox/actions.yaml:3: character 10 of the line is U+0000, which nobody can see"},
		"zero width":        {strings.Replace(one, "id: a", "id: a\u200b", 1), "inbox/actions.yaml:3: character 10 of the line is U+200B"},
		"a bad byte":        {strings.Replace(one, "id: a", "id: a # caf\xe9", 1), "inbox/actions.yaml:3: character 16 of the line is no UTF-8 (byte 0xE9): save the file as UTF-8"},
		"another encoding":  {"\xff\xfef\x00o\x00", "inbox/actions.yaml:1: character 1 of the line is no UTF-8 (byte 0xFF)"},
	} {
		t.Run(name, func(t *testing.T) {
			d := document("actions.yaml", "")
			d.Bytes = func(context.Context) ([]byte, error) { return []byte(tt.bytes), nil }
			other := document("large.md", "")
			other.Read = func(context.Context) (string, error) { return "", errors.New("it is not read") }
			other.Bytes = func(context.Context) ([]byte, error) { return nil, errors.New("it is not read") }
			draft, err := given.Planner{}.Plan(t.Context(), request(other, d))
			if tt.want != "" {
				refused(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			require.Len(t, draft.Actions, 1)
		})
	}
	away := errors.New("the store is away")
	d := document("actions.yaml", one)
	d.Bytes = func(context.Context) ([]byte, error) { return nil, away }
	_, err := given.Planner{}.Plan(t.Context(), request(d))
	require.ErrorIs(t, err, away)
}

// The documents that an action says it comes from are the task's.
func TestDocumentsOfAnAction(t *testing.T) {
	text := strings.Replace(one, "parameters: {}", "parameters: {}\n    documents: [inbox/order.md]", 1)
	draft, err := given.Planner{}.Plan(t.Context(), request(document("actions.yaml", text), document("order.md", "")))
	require.NoError(t, err)
	require.Equal(t, []string{"inbox/order.md"}, draft.Actions[0].Documents)
	_, err = given.Planner{}.Plan(t.Context(), request(document("actions.yaml", text)))
	refused(t, err, `inbox/actions.yaml:6: /actions/0/documents: the task has no document "inbox/order.md"`)
}

// A circle is refused with its place.
func TestActionsThatWaitForEachOther(t *testing.T) {
	text := strings.Replace(asJSON, `"id": "order",`, `"id": "order", "depends_on": ["more"],`, 1)
	_, err := given.Planner{}.Plan(t.Context(), request(document("actions.json", text)))
	refused(t, err, "inbox/actions.json: /actions/0/depends_on: these actions wait for each other: order → more → order")
}

// The plan that is made of the file is checked before anybody else sees it, and
// what is wrong with it has its place in the file.
func TestWhatMakesNoPlanHasItsPlaceInTheFile(t *testing.T) {
	refused := &faults.Fault{Class: faults.Permanent, Code: "page_place", Reason: `action "mail": it is a page of action "order"`,
		Cause: &planners.InAction{ID: "mail", Reason: `it is a page of action "order"`}}
	whole := &faults.Fault{Class: faults.Permanent, Code: "plan_too_large", Reason: "the order of 3 actions does not fit"}
	away := &faults.Fault{Class: faults.Transient, Code: "dial_failed", Reason: "no connection"}
	for _, tt := range []struct {
		name, file, text string
		says             error
		want             string
	}{
		{"an action of JSON", "actions.json", asJSON, refused, `page_place: inbox/actions.json: /actions/1: it is a page of action "order"`},
		{"an action of YAML", "actions.yaml", asYAML, refused, `page_place: inbox/actions.yaml:8: /actions/1: it is a page of action "order"`},
		{"the whole", "actions.yaml", asYAML, whole, "plan_too_large: inbox/actions.yaml:2: the order of 3 actions does not fit"},
		{"trouble of a tool", "actions.yaml", asYAML, away, "dial_failed: no connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(document(tt.file, tt.text))
			var checked []planners.DraftAction
			r.Check = func(_ context.Context, actions []planners.DraftAction) error {
				checked = actions
				return tt.says
			}
			_, err := given.Planner{}.Plan(t.Context(), r)
			require.EqualError(t, err, tt.want)
			require.Equal(t, faults.ClassOf(tt.says), faults.ClassOf(err))
			require.Len(t, checked, 3)

			r.Check = func(context.Context, []planners.DraftAction) error { return nil }
			draft, err := given.Planner{}.Plan(t.Context(), r)
			require.NoError(t, err)
			require.Equal(t, checked, draft.Actions)
		})
	}
}
