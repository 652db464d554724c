package declared_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestDeclarationBecomesASpec(t *testing.T) {
	tool, sender := newTool(t)
	spec := tool.Spec()
	require.Equal(t, sender.spec, spec, "the kind sees the same")
	schema := `{"additionalProperties":false,"properties":{` +
		`"due":{"format":"date","type":"string"},"labels":{"items":{"type":"string"},"type":"array"},` +
		`"repo":{"pattern":"^[a-z0-9/.%]*$","type":"string"},"title":{"maxLength":20,"type":"string"}},` +
		`"required":["repo","title"],"type":"object"}`
	require.Equal(t, schema, string(spec.Schema), "canonical: RFC 8785")
	require.NotZero(t, spec.Digest)
	require.Equal(t, tools.Spec{
		Digest: spec.Digest, Name: "open_issue", Version: "3", Class: plan.Keyed, Risk: plan.MediumRisk,
		Schema: spec.Schema, SchemaDigest: plan.Sum([]byte(schema)),
		CallTimeout: 5 * time.Second, Settle: 2 * time.Second, KeyWindow: 24 * time.Hour,
		MaxAttempts: 4,
		Retry: faults.Retry{
			Base: time.Second, Max: 8 * time.Second, MaxAfter: 2 * time.Minute, Budget: 10 * time.Minute,
		},
		Concurrency: 3, Rate: 2.5,
	}, spec)
}

func TestDefaultsAreThoseOfTheDocumentation(t *testing.T) {
	http, _, all := kinds()
	_, err := declared.New("open_issue", "f.yaml", parse(t, `tools:
  open_issue:
    version: 1
    kind: http
    class: once
    risk: high
    schema: {type: object}
    target: tracker
    http: {url: x}
`), all)
	require.NoError(t, err)
	spec := http.sender.spec
	require.Equal(t, "1", spec.Version)
	require.Equal(t, 30*time.Second, spec.CallTimeout)
	require.Zero(t, spec.Settle)
	require.Zero(t, spec.KeyWindow)
	require.Equal(t, 10, spec.MaxAttempts)
	require.Equal(t, faults.Retry{
		Base: 200 * time.Millisecond, Max: 10 * time.Second, MaxAfter: time.Minute, Budget: 30 * time.Minute,
	}, spec.Retry)
	require.Equal(t, 8, spec.Concurrency)
	require.Zero(t, spec.Rate)
}

// Whatever is wrong is refused when the worker starts, with file and line.
func TestDeclarationThatIsRefused(t *testing.T) {
	// Each case puts text in the place of what stands in declaration.
	for name, tt := range map[string]struct{ old, text, want string }{
		"an unknown field":    {"rate: 2.5", "raet: 2.5", `holdpoint.yaml:23: unknown field "raet"`},
		"an unknown inner":    {"attempts: 4", "tries: 4", `holdpoint.yaml:21: unknown field "tries"`},
		"a field twice":       {"rate: 2.5", "version: x", `holdpoint.yaml:23: version stands in line 3 already`},
		"another type":        {"rate: 2.5", "rate: fast", `holdpoint.yaml:23: rate: "fast" is no number`},
		"a period of no unit": {"settle: 2s", "settle: 2", `holdpoint.yaml:19: settle: "2" is no period of time; write one with its unit`},

		"no version":    {`version: "3"`, "", `holdpoint.yaml:4: tool open_issue: version is missing`},
		"empty version": {`version: "3"`, `version: ""`, `holdpoint.yaml:3: tool open_issue: version is missing`},
		"no kind":       {"kind: http", "", `holdpoint.yaml:3: tool open_issue: kind is missing`},
		"no class":      {"class: keyed", "class:", `holdpoint.yaml:5: tool open_issue: class is missing`},
		"no risk":       {"risk: medium", "", `holdpoint.yaml:3: tool open_issue: risk is missing`},
		"no target":     {`target: "tracker/{{params.repo}}"`, "", `holdpoint.yaml:3: tool open_issue: target is missing`},

		"an unknown kind":         {"kind: http", "kind: ftp", `holdpoint.yaml:4: tool open_issue: there is no kind "ftp"; there are [http smtp]`},
		"a class it cannot keep":  {"class: keyed", "class: transactional", `holdpoint.yaml:5: tool open_issue: kind http cannot keep the delivery class "transactional"; it can keep [keyed conditional lookup once]`},
		"a class that is none":    {"class: keyed", "class: Keyed", `holdpoint.yaml:5: tool open_issue: kind http cannot keep the delivery class "Keyed"`},
		"a risk that is none":     {"risk: medium", "risk: none", `holdpoint.yaml:6: tool open_issue: there is no risk "none"; there are [low medium high]`},
		"settings of another":     {"    http:\n", "    smtp: {url: x}\n    http:\n", `holdpoint.yaml:24: tool open_issue: it has settings of kind smtp, and is of kind http`},
		"empty ones of another":   {"    http:\n", "    object: {}\n    http:\n", `holdpoint.yaml:24: tool open_issue: it has settings of kind object, and is of kind http`},
		"settings without value":  {"http:\n      url: \"https://h/{{params.repo}}\"\n      body: {title: \"{{params.title}}\"}\n", "http:\n", `holdpoint.yaml:24: tool open_issue: the settings of kind http are missing: http:`},
		"no settings":             {"    http:\n      url: \"https://h/{{params.repo}}\"\n      body: {title: \"{{params.title}}\"}\n", "", `holdpoint.yaml:3: tool open_issue: the settings of kind http are missing: http:`},
		"what the kind refuses":   {`url: "https://h/{{params.repo}}"`, "", `holdpoint.yaml:26: tool open_issue: url is missing`},
		"an unknown kind setting": {"body: {", "bodi: {", `holdpoint.yaml:26: unknown field "bodi"; known are url, body, found`},
		"lookup without a lookup": {"class: keyed", "class: lookup", "holdpoint.yaml:20: tool open_issue: key_window is for class keyed; this tool's is lookup\n" +
			"holdpoint.yaml:5: tool open_issue: class lookup needs a lookup in the http settings, and there is none"},

		"no window":             {"key_window: 24h", "", `holdpoint.yaml:3: tool open_issue: key_window is missing`},
		"a window of two calls": {"key_window: 24h", "key_window: 10s", `holdpoint.yaml:20: tool open_issue: key_window is 10s; it must be longer than two calls, 10s`},
		"a call too short":      {"call_timeout: 5s", "call_timeout: 99ms", `holdpoint.yaml:18: tool open_issue: call_timeout is 99ms; 100ms to 10m0s are allowed`},
		"a call too long":       {"call_timeout: 5s", "call_timeout: 601s", `holdpoint.yaml:18: tool open_issue: call_timeout is 10m1s;`},
		"a call of no time":     {"call_timeout: 5s", "call_timeout: 0s", `holdpoint.yaml:18: tool open_issue: call_timeout is 0s;`},
		"a negative settle":     {"settle: 2s", "settle: -1s", `holdpoint.yaml:19: tool open_issue: settle is -1s; 0s to 24h0m0s are allowed`},
		"a settle too long":     {"settle: 2s", "settle: 25h", `holdpoint.yaml:19: tool open_issue: settle is 25h0m0s;`},
		"no attempt":            {"attempts: 4", "attempts: 0", `holdpoint.yaml:21: tool open_issue: attempts is 0; 1 to 1000 are allowed`},
		"too many attempts":     {"attempts: 4", "attempts: 1001", `holdpoint.yaml:21: tool open_issue: attempts is 1001;`},
		"no first wait":         {"base: 1s", "base: 0s", `holdpoint.yaml:21: tool open_issue: base is 0s;`},
		"a wait over its max":   {"base: 1s", "base: 9s", `holdpoint.yaml:21: tool open_issue: retry.base is 9s, and retry.max only 8s`},
		"a wait over a day":     {"max: 8s", "max: 25h", `holdpoint.yaml:21: tool open_issue: max is 25h0m0s;`},
		"a server's too long":   {"max_after: 2m", "max_after: 25h", `holdpoint.yaml:21: tool open_issue: max_after is 25h0m0s;`},
		"a budget of nothing":   {"budget: 10m", "budget: 0s", `holdpoint.yaml:21: tool open_issue: budget is 0s;`},
		"a budget of months":    {"budget: 10m", "budget: 721h", `holdpoint.yaml:21: tool open_issue: budget is 721h0m0s;`},
		"no place":              {"concurrency: 3", "concurrency: 0", `holdpoint.yaml:22: tool open_issue: concurrency is 0; 1 to 200 are allowed`},
		"too many places":       {"concurrency: 3", "concurrency: 201", `holdpoint.yaml:22: tool open_issue: concurrency is 201;`},
		"a negative rate":       {"rate: 2.5", "rate: -1", `holdpoint.yaml:23: tool open_issue: rate is -1; 0 to 10000 are allowed`},
		"a rate that is none":   {"rate: 2.5", "rate: .nan", `holdpoint.yaml:23: tool open_issue: rate is NaN;`},
		"an endless rate":       {"rate: 2.5", "rate: .inf", `holdpoint.yaml:23: tool open_issue: rate is +Inf;`},

		"a target of parameters":  {`"tracker/{{params.repo}}"`, `"{{params.repo}}"`, `holdpoint.yaml:16: tool open_issue: target "{{params.repo}}" must begin with a fixed name and a slash`},
		"a name half fixed":       {`"tracker/{{params.repo}}"`, `"tracker-{{params.repo}}"`, `holdpoint.yaml:16: tool open_issue: target "tracker-{{params.repo}}" must begin`},
		"a name no task can say":  {`"tracker/{{params.repo}}"`, `"my tracker/x"`, `holdpoint.yaml:16: tool open_issue: target begins with "my tracker"; use at most 64 letters`},
		"a name of dots":          {`"tracker/{{params.repo}}"`, `"../x"`, `holdpoint.yaml:16: tool open_issue: target begins with ".."`},
		"a leading slash":         {`"tracker/{{params.repo}}"`, `"/x"`, `holdpoint.yaml:16: tool open_issue: target begins with ""`},
		"an empty segment":        {`"tracker/{{params.repo}}"`, `"tracker//{{params.repo}}"`, `holdpoint.yaml:16: tool open_issue: target "tracker//{{params.repo}}" has an empty segment`},
		"a segment that leads up": {`"tracker/{{params.repo}}"`, `"tracker/../x"`, `holdpoint.yaml:16: tool open_issue: target "tracker/../x" has a segment ".."`},
		"a bad expression":        {`"tracker/{{params.repo}}"`, `"tracker/{{nothing}}"`, `holdpoint.yaml:16: target: the expression "nothing" cannot be used`},
		"an open expression":      {`"{{params.title}}"`, `"{{params.title"`, `holdpoint.yaml:17: item: an expression begins with {{`},

		"an unknown parameter of the target": {`"tracker/{{params.repo}}"`, `"tracker/{{params.repos}}"`, `holdpoint.yaml:16: tool open_issue: an expression reads the parameter "repos", and the schema has only due, labels, repo, title`},
		"of the item":                        {`"{{params.title}}"`, `"{{params['number']}}"`, `holdpoint.yaml:17: tool open_issue: an expression reads the parameter "number"`},
		"of the settings":                    {`url: "https://h/{{params.repo}}"`, `url: "https://h/{{params.owner.name}}"`, `holdpoint.yaml:25: tool open_issue: an expression reads the parameter "owner"`},
		"deep in the settings":               {`body: {title: "{{params.title}}"}`, "body:\n        a: [x, {b: '{{params.body}}'}]", `holdpoint.yaml:27: tool open_issue: an expression reads the parameter "body"`},
		"of a bare expression":               {`body: {title: "{{params.title}}"}`, `found: "body.title == params.titel"`, `holdpoint.yaml:26: tool open_issue: an expression reads the parameter "titel"`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, declaration, tt.old)
			_, _, all := kinds()
			tool, err := declared.New("open_issue", "holdpoint.yaml", parse(t, strings.Replace(declaration, tt.old, tt.text, 1)), all)
			require.ErrorContains(t, err, tt.want)
			require.Equal(t, strings.Count(tt.want, "\n"), strings.Count(err.Error(), "\n"), "and nothing else: %s", err)
			require.Nil(t, tool)
		})
	}
}

// Who mends one mistake wants to know of the others.
func TestEveryMistakeOfADeclarationIsNamed(t *testing.T) {
	_, _, all := kinds()
	text := strings.NewReplacer(
		"risk: medium", "risk: none", "call_timeout: 5s", "call_timeout: 11m", "settle: 2s", "settle: -1s",
		"attempts: 4", "attempts: 4.5", "rate: 2.5", "rate: fast", `"tracker/{{params.repo}}"`, `"{{params.repo}}"`,
		`url: "https://h/{{params.repo}}"`, `url: "https://h/{{1/0}}"`, "body: {", "bodi: {",
	).Replace(declaration)
	_, err := declared.New("open_issue", "f.yaml", parse(t, text), all)
	require.EqualError(t, err, strings.Join([]string{
		`f.yaml:21: retry.attempts: "4.5" is no whole number`,
		`f.yaml:23: rate: "fast" is no number`,
		`f.yaml:6: tool open_issue: there is no risk "none"; there are [low medium high]`,
		`f.yaml:18: tool open_issue: call_timeout is 11m0s; 100ms to 10m0s are allowed`,
		`f.yaml:19: tool open_issue: settle is -1s; 0s to 24h0m0s are allowed`,
		`f.yaml:16: tool open_issue: target "{{params.repo}}" must begin with a fixed name and a slash, such as "tracker/", so that a task can allow it`,
		`f.yaml:25: url: the expression "1/0" has no value: division by zero`,
		`f.yaml:26: unknown field "bodi"; known are url, body, found`,
	}, "\n"))
}

// What fails on every action, whatever its parameters are, is refused when the
// worker starts.
func TestExpressionThatCanOnlyFailIsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ old, text, want string }{
		"of constants":          {`"{{params.title}}"`, `"{{1/0}}"`, `f.yaml:17: item: the expression "1/0" has no value: division by zero`},
		"a text as a list":      {`body: {title: "{{params.title}}"}`, `body: {title: "{{params.title.map(x, x)}}"}`, `f.yaml:26: tool open_issue: the expression "params.title.map(x, x)" can only fail: `},
		"a list in the target":  {`"tracker/{{params.repo}}"`, `"tracker/{{params.labels}}"`, `f.yaml:16: tool open_issue: the expression "params.labels" is a list or an object, and cannot stand in a text`},
		"a list as the item":    {`"{{params.title}}"`, `"{{params.labels}}"`, `f.yaml:17: tool open_issue: the expression "params.labels" is a list`},
		"a list beside a text":  {`body: {title: "{{params.title}}"}`, `body: {title: "labels: {{params.labels}}"}`, `f.yaml:26: tool open_issue: the expression "params.labels" is a list`},
		"in a bare expression":  {`body: {title: "{{params.title}}"}`, `found: "body.n == params.title + 1"`, `f.yaml:26: tool open_issue: the expression "body.n == params.title + 1" can only fail: `},
		"a number that is none": {`body: {title: "{{params.title}}"}`, `body: {title: .inf}`, `JSON has no number .inf`},
		"more than aliases may": {`body: {title: "{{params.title}}"}`, "body: {a: &a [1,1,1,1,1,1,1,1,1,1,1], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], c: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]}", `f.yaml:26: the aliases stand for more than 1000 values`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, declaration, tt.old)
			_, _, all := kinds()
			_, err := declared.New("open_issue", "f.yaml", parse(t, strings.Replace(declaration, tt.old, tt.text, 1)), all)
			require.ErrorContains(t, err, tt.want)
		})
	}
	for _, fine := range []string{`body: {labels: "{{params.labels}}", title: "{{has(params.title) ? params.title : null}}"}`, "found: \"params.title in body.titles\""} {
		_, _, all := kinds()
		_, err := declared.New("open_issue", "f.yaml", parse(t, strings.Replace(declaration, `body: {title: "{{params.title}}"}`, fine, 1)), all)
		require.NoError(t, err, fine)
	}
}

// A schema that would check less than it says, or that needs anything outside
// the file, is refused.
func TestSchemaThatIsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ schema, want string }{
		"nothing":                {"schema:", `:7: tool open_issue: schema is missing`},
		"no object":              {"schema: {type: array}", `:7: tool open_issue: schema: its type must be object`},
		"no type":                {"schema: {properties: {repo: {type: string}}}", `:7: tool open_issue: schema: its type must be object`},
		"an object or null":      {"schema: {type: [object, 'null']}", `:7: tool open_issue: schema: its type must be object`},
		"true":                   {"schema: true", `:7: tool open_issue: schema: its type must be object`},
		"a text":                 {"schema: object", `:7: tool open_issue: schema: got string, want boolean or object`},
		"an unknown type":        {"schema:\n      type: object\n      properties:\n        repo: {type: text}", `:10: tool open_issue: schema: properties.repo.type: value must be one of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'`},
		"a misspelled keyword":   {"schema:\n      type: object\n      requird: [repo]", `:9: tool open_issue: schema: "requird" is no keyword`},
		"one of another draft":   {"schema:\n      type: object\n      definitions: {}", `:9: tool open_issue: schema: "definitions" is no keyword`},
		"one inside":             {"schema:\n      type: object\n      properties:\n        repo:\n          minLenght: 1", `:11: tool open_issue: schema: "minLenght" is no keyword`},
		"one inside a list":      {"schema:\n      type: object\n      allOf:\n        - properties:\n            repo: {minLenght: 1}", `:11: tool open_issue: schema: "minLenght" is no keyword`},
		"one in a definition":    {"schema:\n      type: object\n      $defs:\n        x: {typ: string}", `:10: tool open_issue: schema: "typ" is no keyword`},
		"a keyword twice":        {"schema:\n      type: object\n      type: object", `:9: type stands in line 8 already`},
		"another draft":          {"schema:\n      $schema: http://json-schema.org/draft-07/schema#\n      type: object", `:8: tool open_issue: schema: only draft 2020-12 is known`},
		"a reference to a file":  {"schema:\n      type: object\n      properties:\n        repo: {$ref: 'file:///etc/passwd'}", `:10: tool open_issue: schema: it refers to "file:///etc/passwd"; only what begins with # is inside the schema`},
		"a reference to a host":  {"schema:\n      type: object\n      properties:\n        repo: {$dynamicRef: 'https://example.com/s'}", `:10: tool open_issue: schema: it refers to "https://example.com/s"`},
		"a reference to nothing": {"schema:\n      type: object\n      properties:\n        repo: {$ref: '#/$defs/absent'}", `:8: tool open_issue: schema: json-pointer in "#/$defs/absent" not found`},
		"a bad pattern":          {"schema:\n      type: object\n      properties:\n        repo: {pattern: '('}", `:10: tool open_issue: schema: properties.repo.pattern: is no valid regex: error parsing regexp: missing closing ): `},
		"a misspelled format":    {"schema:\n      type: object\n      properties:\n        repo: {format: e-mail}", `:10: tool open_issue: schema: the format "e-mail" cannot be checked`},
		"a reference to itself":  {"schema:\n      type: object\n      $ref: '#'", `:8: tool open_issue: schema: it leads back to itself before it looks at any part of a value`},
		"one inside to itself":   {"schema:\n      type: object\n      properties:\n        a: {type: string}\n        repo: {$ref: '#/properties/repo'}", `:11: tool open_issue: schema: properties.repo: it leads back to itself`},
		"two to each other":      {"schema:\n      type: object\n      $defs:\n        a: {anyOf: [{type: string}, {$ref: '#/$defs/b'}]}\n        b: {not: {$ref: '#/$defs/a'}}\n      items: {$ref: '#/$defs/a'}", `it leads back to itself`},
		"half a property":        {"schema:\n      type: object\n      maxProperties: 1.5", `:9: tool open_issue: schema: maxProperties: got number, want integer`},
		"a part of itself":       {"schema: &s\n      type: object\n      not: *s", `f.yaml:9: the alias *s is a part of itself`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, all := kinds()
			text := "tools:\n  open_issue:\n    version: 1\n    kind: http\n    class: once\n    risk: low\n    " + tt.schema +
				"\n    target: tracker\n    http: {url: x}\n"
			_, err := declared.New("open_issue", "f.yaml", parse(t, text), all)
			require.ErrorContains(t, err, "f.yaml:")
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestSchemaMayUseWhatTheStandardHas(t *testing.T) {
	for name, schema := range map[string]string{
		"definitions of its own": `{type: object, $defs: {id: {type: integer}}, properties: {a: {$ref: '#/$defs/id'}}}`,
		"a tree":                 `{type: object, $defs: {node: {properties: {of: {type: array, items: {$ref: '#/$defs/node'}}}}}, properties: {a: {$ref: '#/$defs/node'}, b: {$ref: '#'}}}`,
		"one definition twice":   `{type: object, $defs: {id: {type: integer}}, allOf: [{$ref: '#/$defs/id'}, {not: {$ref: '#/$defs/id'}}]}`,
		"conditions":             `{type: object, if: {required: [a]}, then: {required: [b]}, else: {not: {required: [b]}}}`,
		"its draft":              `{$schema: 'https://json-schema.org/draft/2020-12/schema', type: object}`,
		"a note":                 `{type: object, x-owner: the billing team, $comment: why}`,
		"examples of any form":   `{type: object, examples: [{nonsense: {typ: 1}}], default: {typ: 2}, properties: {typ: {const: {reqired: 1}}}}`,
		"a date as it stands":    `{type: object, properties: {a: {enum: [2026-12-01]}}}`,
	} {
		http, _, all := kinds()
		text := "tools:\n  open_issue: {version: 1, kind: http, class: once, risk: low, target: tracker, http: {url: x},\n    schema: " + schema + "}\n"
		_, err := declared.New("open_issue", "f.yaml", parse(t, text), all)
		require.NoError(t, err, name)
		require.NotContains(t, string(http.sender.spec.Schema), "T00:00:00Z")
	}
}

// A closed schema is one that says so: otherwise an expression may read what
// nobody has declared.
func TestOpenSchemaMayHaveOtherParameters(t *testing.T) {
	for _, open := range []string{"", "additionalProperties: true", "additionalProperties: {type: string}", "additionalProperties: false\n      patternProperties: {'^x': {}}"} {
		_, _, all := kinds()
		text := strings.Replace(declaration, "additionalProperties: false", open, 1)
		text = strings.Replace(text, "{{params.title}}", "{{params.other}}", 1)
		_, err := declared.New("open_issue", "f.yaml", parse(t, text), all)
		require.NoError(t, err, open)
	}
}

func TestLookupNeedsASenderThatFinds(t *testing.T) {
	text := strings.Replace(strings.Replace(declaration, "class: keyed", "class: lookup", 1), "    key_window: 24h\n", "", 1)
	http, _, all := kinds()
	_, err := declared.New("open_issue", "f.yaml", parse(t, text), all)
	require.EqualError(t, err, "f.yaml:5: tool open_issue: class lookup needs a lookup in the http settings, and there is none")
	require.True(t, http.sender.closed, "nothing is left open")

	http.finds = true
	tool, err := declared.New("open_issue", "f.yaml", parse(t, text), all)
	require.NoError(t, err)
	require.Implements(t, (*tools.Finder)(nil), tool)
}

// A keyed tool is a finder only when its target can be asked: the protocol
// asks by type.
func TestFinderIsATypeOfItsOwn(t *testing.T) {
	tool, _ := newTool(t)
	_, finds := tool.(tools.Finder)
	require.False(t, finds)
	http, _, all := kinds()
	http.finds = true
	tool, err := declared.New("open_issue", "f.yaml", parse(t, declaration), all)
	require.NoError(t, err)
	_, finds = tool.(tools.Finder)
	require.True(t, finds)
}

func TestErrorOfTheKindPasses(t *testing.T) {
	_, _, all := kinds()
	broken := errors.New("f.yaml:25: no")
	_, err := declared.New("open_issue", "f.yaml", parse(t, declaration), []declared.Kind{refusing{all[0], broken}})
	require.ErrorIs(t, err, broken)
}

// refusing is a kind that opens nothing.
type refusing struct {
	declared.Kind
	err error
}

func (r refusing) Open(tools.Spec, declared.Settings) (declared.Sender, error) { return nil, r.err }
