package declared_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// digestOf is the digest of the tool that a text declares.
func digestOf(t *testing.T, text string) plan.Digest {
	t.Helper()
	_, _, all := kinds()
	tool, err := declared.New("open_issue", "holdpoint.yaml", parse(t, text), all)
	require.NoError(t, err, text)
	require.NotZero(t, tool.Spec().Digest)
	return tool.Spec().Digest
}

// An approval is of what a declaration says at the time: each setting that
// changes what is sent, where to, or how a lost answer is recovered, voids it.
func TestEachSettingThatMattersChangesTheDigest(t *testing.T) {
	first := digestOf(t, declaration)
	seen := map[plan.Digest]string{first: "the declaration itself"}
	for name, change := range map[string][2]string{
		"class":                         {"    class: keyed\n", "    class: once\n"},
		"class, recovered by the key":   {"    class: keyed\n", "    class: conditional\n"},
		"risk":                          {"risk: medium", "risk: low"},
		"target":                        {`"tracker/{{params.repo}}"`, `"tracker/all/{{params.repo}}"`},
		"target, by another expression": {`"tracker/{{params.repo}}"`, `"tracker/{{params.repo + ''}}"`},
		"item":                          {`item: "{{params.title}}"`, `item: "{{params.title}}-{{params.repo}}"`},
		"no item":                       {`    item: "{{params.title}}"` + "\n", ""},
		"settle":                        {"settle: 2s", "settle: 3s"},
		"key window":                    {"key_window: 24h", "key_window: 48h"},
		"the kind's host":               {`url: "https://h/`, `url: "https://i/`},
		"the kind's path":               {`{{params.repo}}"` + "\n      body", `{{params.repo}}/new"` + "\n      body"},
		"what is sent":                  {`body: {title: "{{params.title}}"}`, `body: {title: "{{params.title}}", urgent: true}`},
		"the type of what is sent":      {`body: {title: "{{params.title}}"}`, `body: {title: "{{params.title}}", urgent: "true"}`},
		"digits that JSON rounds":       {`body: {title: "{{params.title}}"}`, `body: {title: 9007199254740993}`},
		"digits beside them":            {`body: {title: "{{params.title}}"}`, `body: {title: 9007199254740992}`},
		"a setting more":                {"    http:\n", "    http:\n      found: body.ok\n"},
	} {
		text := strings.Replace(declaration, change[0], change[1], 1)
		require.NotEqual(t, declaration, text, name)
		if !strings.Contains(text, "class: keyed") {
			text = strings.Replace(text, "    key_window: 24h\n", "", 1)
		}
		digest := digestOf(t, text)
		require.Empty(t, seen[digest], "%s changes nothing", name)
		seen[digest] = name
	}
	_, smtp, all := kinds()
	smtp.classes = []plan.DeliveryClass{plan.Keyed}
	tool, err := declared.New("open_issue", "holdpoint.yaml",
		parse(t, strings.NewReplacer("kind: http", "kind: smtp", "    http:\n", "    smtp:\n").Replace(declaration)), all)
	require.NoError(t, err)
	require.NotEqual(t, first, tool.Spec().Digest, "the kind")
}

// How a declaration is written is nobody's business, and how fast it goes is
// the operator's.
func TestWhatDoesNotMatterLeavesTheDigest(t *testing.T) {
	first := digestOf(t, declaration)
	for name, change := range map[string][2]string{
		"a comment":             {"    risk: medium\n", "    # as the board says\n    risk: medium # for now\n"},
		"the order of fields":   {"    kind: http\n    class: keyed\n", "    class: keyed\n    kind: http\n"},
		"quotes":                {"    kind: http\n", "    kind: 'http'\n"},
		"a block for a flow":    {`body: {title: "{{params.title}}"}`, "body:\n        title: >-\n          {{params.title}}"},
		"an alias":              {`      url: "https://h/{{params.repo}}"` + "\n      body: {title: \"{{params.title}}\"}", `      body: {title: &t "{{params.title}}"}` + "\n" + `      url: "https://h/{{params.repo}}"`},
		"a period's unit":       {"key_window: 24h", "key_window: 1440m"},
		"how long a call takes": {"call_timeout: 5s", "call_timeout: 6s"},
		"attempts":              {"attempts: 4", "attempts: 5"},
		"waits":                 {"base: 1s, max: 8s, max_after: 2m, budget: 10m", "base: 2s, max: 9s, max_after: 3m, budget: 11m"},
		"no retry":              {"    retry: {attempts: 4, base: 1s, max: 8s, max_after: 2m, budget: 10m}\n", ""},
		"concurrency":           {"concurrency: 3", "concurrency: 4"},
		"rate":                  {"rate: 2.5", "rate: 3"},
		// These two stand in the plan themselves.
		"version": {`version: "3"`, `version: "4"`},
		"schema":  {"maxLength: 20", "maxLength: 21"},
	} {
		text := strings.Replace(declaration, change[0], change[1], 1)
		require.NotEqual(t, declaration, text, name)
		require.Equal(t, first, digestOf(t, text), name)
	}
}

// A secret's value is no part of the digest: it may be replaced at any time.
func TestReferencesAreBoundAndSecretsAreNot(t *testing.T) {
	text := strings.Replace(declaration, `"https://h/{{params.repo}}"`, `"${env:HP_DIGEST_TEST}"`, 1)
	t.Setenv("HP_DIGEST_TEST", "one")
	first := digestOf(t, text)
	t.Setenv("HP_DIGEST_TEST", "two")
	require.Equal(t, first, digestOf(t, text))
	require.NotEqual(t, first, digestOf(t, strings.Replace(text, "HP_DIGEST_TEST", "HP_DIGEST_OTHER", 1)))
}
