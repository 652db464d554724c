package program

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestConfigListsWhoDeduplicates(t *testing.T) {
	shop := newShop(t)
	site := newSite(t, "repositories: {kb: {path: kb}, wiki: {path: wiki}}\n"+shop.declaration("keyed"))
	p := site.runWith("", []ToolMaker{makeNotebook(nil)}, "config")
	require.Zero(t, p.code, p.err)
	var rows []string
	for line := range strings.Lines(p.out) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	require.Contains(t, rows, "gitpages repositories 1 conditional low [kb wiki] the target: it refuses a second effect")
	require.Contains(t, rows, "open_order http 1 keyed medium shop/orders the target, by our key, for 24h0m0s")
	require.Contains(t, rows, "notebook go 7 once high nobody: an unknown outcome goes to a person")
	require.Contains(t, rows, "planner given")
	require.Contains(t, rows, "planner outline")
	require.Contains(t, rows, "ledger SQLite, in the data folder")
	for _, made := range []string{"kb", "wiki", "data"} {
		require.NoDirExists(t, site.path(made), "who looks makes nothing")
	}
}

func TestConfigForPrograms(t *testing.T) {
	site := newSite(t, newShop(t).declaration("once"))
	p := site.run("", "config", "-o", "json")
	require.Zero(t, p.code, p.err)
	var got view
	require.NoError(t, json.Unmarshal([]byte(p.out), &got))
	require.Equal(t, []toolView{{
		Name: "open_order", Kind: "http", Version: "1", Class: plan.Once, Risk: plan.MediumRisk, Target: "shop/orders",
		Deduplicates: "nobody: an unknown outcome goes to a person",
	}}, got.Tools)
	require.Equal(t, site.path("data"), got.Data)
	require.Equal(t, 2, site.run("", "config", "-o", "xml").code)
}

// Every declaration that is wrong is named, with file and line.
func TestConfigNamesEveryMistake(t *testing.T) {
	declaration := newShop(t).declaration("keyed")
	second := strings.Replace(strings.TrimPrefix(declaration, "tools:\n"), "open_order", "close_order", 1)
	site := newSite(t, strings.Replace(declaration, "risk: medium", "risk: none", 1)+strings.Replace(second, "kind: http", "kind: soap", 1))
	p := site.run("", "config")
	require.Equal(t, 1, p.code)
	require.Contains(t, p.err, site.path("holdpoint.yaml")+`:10: tool open_order: there is no risk "none"`)
	require.Regexp(t, `:\d+: tool close_order: there is no kind "soap"`, p.err)
	require.Empty(t, p.out)
}

// Of one tool all of them, too: who mends one wants to know of the others.
func TestConfigNamesEveryMistakeOfATool(t *testing.T) {
	shop := newShop(t)
	site := newSite(t, "notify: {oncall: {webhook: {}}}\n"+strings.NewReplacer(
		"call_timeout: 500ms", "call_timeout: 99999999999h", "class: keyed\n", "class: keyed\n    retry: {attempts: 4.5}\n",
		"type: object\n      required", "type: object\n      pattern: 7\n      required", "remark: {type: string}", "remark: {type: string, pattern: '('}",
		`"{{params.number}}", remark`, `"{{1/0}}", remark`, "ref: string(body.id)", "ref: string(body.id",
	).Replace(shop.declaration("keyed")))
	p := site.run("", "config")
	require.Equal(t, 1, p.code)
	for _, want := range []string{
		`call_timeout: "99999999999h" is no period of time`, `retry.attempts: "4.5" is no whole number`,
		`body: the expression "1/0" has no value: division by zero`, `receipt.ref: the expression "string(body.id" cannot be used`,
		`schema: `, `channel oncall: `,
	} {
		require.Regexp(t, `holdpoint.yaml:\d+: .*`+regexp.QuoteMeta(want), p.err)
	}
}

func TestConfigWarnsOfSecretsThatAreMissingHere(t *testing.T) {
	t.Setenv("HP_THERE", "SECRET")
	require.NoError(t, os.Unsetenv("HP_ABSENT"))
	declaration := newShop(t).declaration("keyed") + "      headers: {X-A: \"${env:HP_THERE}\"}\n      auth: {bearer: \"${env:HP_ABSENT}\"}\n"
	site := newSite(t, "ledger: ${env:HP_ABSENT}\n"+declaration)
	p := site.run("", "config")
	require.Zero(t, p.code, p.err)
	require.Regexp(t, `warning: .*holdpoint.yaml:\d+: tool open_order: the environment variable HP_ABSENT is not set`, p.out)
	require.Regexp(t, `warning: .*holdpoint.yaml:\d+: ledger: the environment variable HP_ABSENT is not set`, p.out)
	require.Contains(t, p.out, "PostgreSQL, ${env:HP_ABSENT}")
	require.NotContains(t, p.out, "HP_THERE")
	require.NotContains(t, p.out, "SECRET")
}

func TestLedgersAddressIsNotShown(t *testing.T) {
	site := newSite(t, "repositories: {kb: {path: kb}}\nledger: postgres://u:SECRET@db/x\n")
	p := site.run("", "config")
	require.Zero(t, p.code, p.err)
	require.NotContains(t, p.out, "SECRET")
	require.Contains(t, p.out, "PostgreSQL")
}

func TestConfigListsTheChannels(t *testing.T) {
	require.NoError(t, os.Unsetenv("HP_ABSENT"))
	const channels = `notify:
  oncall:
    webhook: {url: "https://hooks.example.com/T0/SECRET", secret: "${env:HP_ABSENT}"}
    events: [resolution.needed]
  editors:
    mail: {address: "mail.example.com:587", from: holdpoint@example.com, to: [bo@example.com]}
    tenants: [acme, globex]
`
	p := newSite(t, "repositories: {kb: {path: kb}}\n"+channels).run("", "config")
	require.Zero(t, p.code, p.err)
	var rows []string
	for line := range strings.Lines(p.out) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	require.Contains(t, rows, "editors mail bo@example.com by mail.example.com:587 acme, globex "+
		"[approval.requested approval.reminded approval.expired confirmation.requested resolution.needed]")
	require.Contains(t, rows, "oncall webhook https://hooks.example.com all [resolution.needed]")
	require.Regexp(t, `warning: .*holdpoint.yaml:\d+: notify: the environment variable HP_ABSENT is not set`, p.out)
	require.NotContains(t, p.out, "SECRET")

	p = newSite(t, "repositories: {kb: {path: kb}}\n").run("", "config")
	require.Zero(t, p.code, p.err)
	require.NotContains(t, p.out, "CHANNEL")
}

// A secret that could never sign is found now, and not at the first notice. The
// worker itself says the same when it starts.
func TestConfigWarnsOfASecretThatCannotSign(t *testing.T) {
	t.Setenv("HP_HOOK", "whsec_dG9vIHNob3J0")
	site := newSite(t, "repositories: {kb: {path: kb}}\nnotify:\n  oncall:\n    webhook:\n      url: https://hooks.example.com\n      secret: ${env:HP_HOOK}\n")
	p := site.run("", "config")
	require.Zero(t, p.code, p.err)
	require.Regexp(t, `warning: .*holdpoint.yaml:\d+: channel oncall: webhook.secret must be 24 to 64 bytes, in base64`, p.out)
	require.NotContains(t, p.out, "dG9v")
}

// What the configuration names and is not there is named with its line.
func TestConfigNamesTheLineOfWhatIsNotThere(t *testing.T) {
	site := newSite(t, "repositories: {kb: {path: kb}}\n")
	require.NoError(t, os.Remove(site.path("policy.yaml")))
	p := site.run("", "config")
	require.Equal(t, 1, p.code)
	require.Regexp(t, `^worker: .*holdpoint.yaml:\d+: policy: stat .*policy.yaml: no such file`, p.err)
	p = site.run("", "config", "--policy", "pol.yaml")
	require.Regexp(t, `^worker: policy: stat pol.yaml: no such file`, p.err)
}

func TestConfigRefusesChannelsWithFileAndLine(t *testing.T) {
	site := newSite(t, "repositories: {kb: {path: kb}}\nnotify:\n  oncall:\n    webhook: {headers: {}}\n")
	p := site.run("", "config")
	require.Equal(t, 1, p.code)
	require.Regexp(t, `holdpoint.yaml:\d+: unknown field "headers"; known are url, secret, allow_http, ca_file`, p.err)
	require.Empty(t, p.out)
}

func TestWorkerNeedsSomethingToWriteWith(t *testing.T) {
	p := newSite(t, "").run("", "config")
	require.Equal(t, 1, p.code)
	require.Contains(t, p.err, "nothing to write with: declare a tool in the configuration (tools:)")
	require.Zero(t, newSite(t, "").runWith("", []ToolMaker{makeNotebook(nil)}, "config").code)
}

// notebook is a tool written in Go of which only its Spec matters.
type notebook struct {
	spec   tools.Spec
	closed *bool
}

func (n notebook) Spec() tools.Spec { return n.spec }

func (notebook) Prepare(context.Context, tools.Proposal) (tools.Prepared, error) {
	return tools.Prepared{}, errors.New("not used")
}

func (notebook) Apply(context.Context, tools.Call) (plan.Receipt, error) {
	return plan.Receipt{}, errors.New("not used")
}

func (notebook) Count(context.Context, tools.Call) (int, error) { return -1, nil }

func (n notebook) Close() error {
	*n.closed = true
	return nil
}

// makeNotebook makes a notebook with a changed Spec.
func makeNotebook(change func(*tools.Spec)) ToolMaker {
	return func(context.Context) (tools.Tool, error) {
		schema := []byte(`{"type":"object"}`)
		n := notebook{closed: new(bool), spec: tools.Spec{
			Name: "notebook", Version: "7", Class: plan.Once, Risk: plan.HighRisk, Schema: schema, SchemaDigest: plan.Sum(schema),
			CallTimeout: 1e9, MaxAttempts: 3, Retry: faults.DefaultRetry(),
		}}
		if change != nil {
			change(&n.spec)
		}
		return n, nil
	}
}

// A tool written in Go is held to what a declaration is held to.
func TestGoToolThatIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*tools.Spec)
		want   string
	}{
		"no name":            {func(s *tools.Spec) { s.Name = "" }, `name ""`},
		"a name of no task":  {func(s *tools.Spec) { s.Name = "a b" }, `name "a b"`},
		"a reserved name":    {func(s *tools.Spec) { s.Name = "gitpages" }, "that of the tool for repositories"},
		"a declared name":    {func(s *tools.Spec) { s.Name = "open_order" }, `two tools have the name "open_order"`},
		"no version":         {func(s *tools.Spec) { s.Version = "" }, "notebook: it has no version"},
		"no class":           {func(s *tools.Spec) { s.Class = "" }, `notebook: there is no delivery class ""`},
		"no risk":            {func(s *tools.Spec) { s.Risk = "" }, `notebook: there is no risk ""`},
		"no schema":          {func(s *tools.Spec) { s.Schema = nil }, "notebook: its schema is malformed"},
		"another digest":     {func(s *tools.Spec) { s.SchemaDigest[0]++ }, "notebook: its schema digest is not that of"},
		"lookup without":     {func(s *tools.Spec) { s.Class = plan.Lookup }, "notebook: a tool of class lookup is a tools.Finder"},
		"keyed for no time":  {func(s *tools.Spec) { s.Class = plan.Keyed }, "notebook: its key window is 0s; it must be longer than two calls, 2s"},
		"calls without end":  {func(s *tools.Spec) { s.CallTimeout = 0 }, "notebook: call_timeout is 0s; 100ms to 10m0s are allowed"},
		"no attempt":         {func(s *tools.Spec) { s.MaxAttempts = 0 }, "notebook: attempts is 0; 1 to 1000 are allowed"},
		"too many at a time": {func(s *tools.Spec) { s.Concurrency = 201 }, "notebook: concurrency is 201; 1 to 200 are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newSite(t, newShop(t).declaration("keyed")).runWith("", []ToolMaker{makeNotebook(tt.change)}, "config")
			require.Equal(t, 1, p.code)
			require.Contains(t, p.err, tt.want)
		})
	}
	p := newSite(t, "").runWith("", []ToolMaker{func(context.Context) (tools.Tool, error) { return nil, nil }}, "config") //nolint:nilnil // a mistake to be found
	require.Contains(t, p.err, "tool 1 that is written in Go: there is none")
	broken := func(context.Context) (tools.Tool, error) { return nil, errors.New("no notebook here") }
	p = newSite(t, "").runWith("", []ToolMaker{makeNotebook(nil), broken}, "config")
	require.Contains(t, p.err, "tool 2 that is written in Go: no notebook here")
}

func TestToolsAreClosed(t *testing.T) {
	var made notebook
	maker := func(ctx context.Context) (tools.Tool, error) {
		tool, err := makeNotebook(nil)(ctx)
		made = tool.(notebook)
		return tool, err
	}
	require.Zero(t, newSite(t, "").runWith("", []ToolMaker{maker}, "config").code)
	require.True(t, *made.closed)

	*made.closed = false
	broken := func(context.Context) (tools.Tool, error) { return nil, errors.New("no") }
	require.Equal(t, 1, newSite(t, "").runWith("", []ToolMaker{maker, broken}, "config").code)
	require.True(t, *made.closed, "also when another one could not be made")
}
