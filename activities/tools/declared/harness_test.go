package declared_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// fake is a kind whose senders keep what they were asked.
type fake struct {
	name    string
	classes []plan.DeliveryClass
	finds   bool
	sender  *sender // the last one that was opened
}

// fakeSettings are what a fake is told.
type fakeSettings struct {
	URL   template.Text  `yaml:"url"`
	Body  template.Value `yaml:"body"`
	Found string         `yaml:"found"`
}

func (f *fake) Name() string                  { return f.name }
func (f *fake) Classes() []plan.DeliveryClass { return f.classes }

func (f *fake) Open(spec tools.Spec, s declared.Settings) (declared.Sender, error) {
	f.sender = &sender{spec: spec, prepared: declared.Prepared{Precondition: "p1", Preview: "what is sent"}}
	if err := s.Decode(&f.sender.settings); err != nil {
		return nil, err
	}
	if f.sender.settings.URL.IsZero() {
		return nil, s.Fail("tool %s: url is missing", spec.Name)
	}
	if f.finds {
		return finder{f.sender}, nil
	}
	return f.sender, nil
}

type sender struct {
	spec     tools.Spec
	settings fakeSettings
	asked    []declared.Request
	closed   bool

	prepared declared.Prepared
	effect   declared.Effect
	count    int
	err      error
}

func (s *sender) Prepare(_ context.Context, r declared.Request) (declared.Prepared, error) {
	s.asked = append(s.asked, r)
	return s.prepared, s.err
}

func (s *sender) Apply(_ context.Context, r declared.Request) (declared.Effect, error) {
	s.asked = append(s.asked, r)
	return s.effect, s.err
}

func (s *sender) Count(_ context.Context, r declared.Request) (int, error) {
	s.asked = append(s.asked, r)
	return s.count, s.err
}

func (s *sender) Close() error {
	s.closed = true
	return nil
}

// finder is a sender that can find.
type finder struct{ *sender }

func (f finder) Find(_ context.Context, r declared.Request) (tools.Presence, declared.Effect, string, error) {
	f.asked = append(f.asked, r)
	if f.err != nil || f.effect.Ref == "" {
		return tools.Absent, declared.Effect{}, "nothing there", f.err
	}
	return tools.Found, f.effect, "it is there", nil
}

var _ declared.Finder = finder{}

// parse returns the node of the tool in a file that begins with "tools:".
func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var file struct {
		Tools map[string]yaml.Node `yaml:"tools"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &file))
	node, ok := file.Tools["open_issue"]
	require.True(t, ok)
	return &node
}

// kinds are what a declaration can choose from.
func kinds() (http, smtp *fake, all []declared.Kind) {
	http = &fake{name: "http", classes: []plan.DeliveryClass{plan.Keyed, plan.Conditional, plan.Lookup, plan.Once}}
	smtp = &fake{name: "smtp", classes: []plan.DeliveryClass{plan.Once}}
	return http, smtp, []declared.Kind{http, smtp}
}

// declaration is right. Each line has its number, for the tests of what is
// not.
const declaration = `tools:
  open_issue:
    version: "3"
    kind: http
    class: keyed
    risk: medium
    schema:
      type: object
      required: [repo, title]
      additionalProperties: false
      properties:
        repo: {type: string, pattern: "^[a-z0-9/.%]*$"}
        title: {type: string, maxLength: 20}
        due: {type: string, format: date}
        labels: {type: array, items: {type: string}}
    target: "tracker/{{params.repo}}"
    item: "{{params.title}}"
    call_timeout: 5s
    settle: 2s
    key_window: 24h
    retry: {attempts: 4, base: 1s, max: 8s, max_after: 2m, budget: 10m}
    concurrency: 3
    rate: 2.5
    http:
      url: "https://h/{{params.repo}}"
      body: {title: "{{params.title}}"}
`

// newTool makes the tool of declaration.
func newTool(t *testing.T) (tools.Tool, *sender) {
	t.Helper()
	http, _, all := kinds()
	tool, err := declared.New("open_issue", "holdpoint.yaml", parse(t, declaration), all)
	require.NoError(t, err)
	require.Implements(t, (*io.Closer)(nil), tool)
	http.sender.effect = declared.Effect{Ref: "17", Detail: "issue 17", At: time.Date(2026, 12, 1, 11, 30, 5, 999, time.FixedZone("", 3600))}
	return tool, http.sender
}
