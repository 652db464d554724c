package notify

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

const both = `
notify:
  oncall:
    webhook: {url: "https://hooks.example.com/T0/SECRET", secret: "${env:NOT_SET}"}
    events: [resolution.needed, approval.expired]
  editors:
    mail: {address: "mail.example.com:587", from: holdpoint@example.com, to: [bo@example.com, cy@example.com]}
    tenants: [acme, globex]
    timeout: 45s
`

func TestChannelsAreToldWhatTheyWant(t *testing.T) {
	c := parsed(t, both)
	require.Equal(t, map[workflows.Event][]string{
		workflows.ApprovalRequested: {"editors"}, workflows.ApprovalReminded: {"editors"}, workflows.ConfirmationRequested: {"editors"},
		workflows.ApprovalExpired: {"editors", "oncall"}, workflows.ResolutionNeeded: {"editors", "oncall"},
	}, c.Names("acme"))
	require.Equal(t, map[workflows.Event][]string{
		workflows.ApprovalExpired: {"oncall"}, workflows.ResolutionNeeded: {"oncall"},
	}, c.Names("initech"))
	require.Equal(t, []Channel{
		{Name: "editors", Kind: "mail", Target: "bo@example.com, cy@example.com by mail.example.com:587", Events: allEvents(), Tenants: []string{"acme", "globex"}},
		{Name: "oncall", Kind: "webhook", Target: "https://hooks.example.com", Events: []workflows.Event{workflows.ResolutionNeeded, workflows.ApprovalExpired}},
	}, c.List())
}

func TestNoChannels(t *testing.T) {
	for _, text := range []string{"other: {}\n", "notify:\n", "notify: ~\n", "notify: {}\n"} {
		c := parsed(t, text)
		require.Nil(t, c.Names("acme"), text)
		require.Empty(t, c.List())
	}
	var none *Channels
	require.Nil(t, none.Names("acme"))
	require.Empty(t, none.List())
	_, err := send(none, notice())
	requireFault(t, err, faults.Permanent, "no_channel")
}

// A run that waits for a week may name a channel that has gone, or that is now
// another tenant's.
func TestAChannelOfAnotherDayGetsNothing(t *testing.T) {
	r := newReceiver(t, status(200))
	_ = hook(t, r.URL) // sets what the references lead to
	c := parsed(t, `
notify:
  oncall:
    webhook: {url: "${env:HOOK_URL}", secret: "${env:HOOK_SECRET}", allow_http: true}
    tenants: [acme]
    events: [approval.requested]
`)
	for _, change := range []func(*workflows.Notice){
		func(n *workflows.Notice) { n.Channel = "gone" },
		func(n *workflows.Notice) { n.Tenant = "globex" },
		func(n *workflows.Notice) { n.Event = workflows.ResolutionNeeded },
		func(n *workflows.Notice) { n.Event = "" },
	} {
		n := notice()
		change(&n)
		_, err := send(c, n)
		requireFault(t, err, faults.Permanent, "no_channel")
	}
	require.Empty(t, r.got())
	_, err := send(c, notice())
	require.NoError(t, err)
	require.Len(t, r.got(), 1)
}

// channel is a configuration with one channel "c", whose settings begin in line
// 3.
func channelOf(lines ...string) string {
	return "notify:\n  c:\n    " + strings.Join(lines, "\n    ") + "\n"
}

const (
	goodHook = `webhook: {url: "https://h.example.com/SECRET", secret: "${env:S}"}`
	goodMail = `mail: {address: "m.example.com:587", from: h@example.com, to: [a@example.com]}`
)

func withHook(settings string) string {
	return channelOf("webhook:", "  url: https://h.example.com/SECRET", `  secret: "${env:S}"`, "  "+settings)
}

func withMail(lines ...string) string {
	return channelOf(append([]string{"mail:", "  address: m.example.com:587", "  from: h@example.com", "  to: [a@example.com]"}, lines...)...)
}

func TestMistakesAreNamedWithFileAndLine(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for name, tt := range map[string]struct{ text, says string }{
		"a list":              {"notify:\n  - c\n", "holdpoint.yaml:2: notify: declare each channel under its name"},
		"a text":              {"notify: c\n", "holdpoint.yaml:1: notify: declare each channel under its name"},
		"twice":               {"notify:\n  c: {}\n  d: {}\n  c: {}\n", "holdpoint.yaml:4: c stands in line 2 already"},
		"a name with a blank": {"notify:\n  'a b': {" + goodHook + "}\n", `holdpoint.yaml:2: notify: name "a b": use at most 64 letters`},
		"a merge key":         {"notify:\n  <<: {}\n", `holdpoint.yaml:2: a member's name must be a text`},
		"a name too long":     {"notify:\n  " + strings.Repeat("a", 65) + ": {" + goodHook + "}\n", "at most 64 letters"},

		"nothing":             {channelOf("events: [approval.requested]"), "holdpoint.yaml:2: channel c has neither webhook nor mail"},
		"nothing at all":      {"notify:\n  c:\n", "holdpoint.yaml:2: channel c has neither webhook nor mail"},
		"both":                {channelOf(goodHook, goodMail), "holdpoint.yaml:2: channel c has webhook and mail"},
		"an unknown kind":     {channelOf("slack: {}"), `holdpoint.yaml:3: unknown field "slack"; known are webhook, mail, events, tenants, timeout`},
		"an unknown event":    {channelOf(goodHook, "events:", "  - approval.requested", "  - approval.asked"), `holdpoint.yaml:6: channel c: events.1 is "approval.asked"; there are [approval.requested approval.reminded approval.expired confirmation.requested resolution.needed]`},
		"no event":            {channelOf(goodHook, "events: []"), "holdpoint.yaml:4: channel c: events is empty"},
		"no tenant":           {channelOf(goodHook, "tenants: []"), "holdpoint.yaml:4: channel c: tenants is empty"},
		"no name of a tenant": {channelOf(goodHook, `tenants: ["a/b"]`), `holdpoint.yaml:4: channel c: tenants.0 is "a/b"`},
		"a text as tenants":   {channelOf(goodHook, "tenants: acme"), `holdpoint.yaml:4: tenants: a list is expected here, and not "acme"`},
		"no time":             {channelOf(goodHook, "timeout: 0s"), "holdpoint.yaml:4: channel c: timeout is 0s; 100ms to 45s are allowed"},
		"too much time":       {channelOf(goodHook, "timeout: 1m"), "holdpoint.yaml:4: channel c: timeout is 1m0s"},
		"no period":           {channelOf(goodHook, "timeout: 5"), `holdpoint.yaml:4: timeout: "5" is no period of time`},

		"no url":              {channelOf("webhook:", `  secret: "${env:S}"`), "holdpoint.yaml:4: channel c: webhook.url is missing"},
		"no secret":           {channelOf("webhook:", "  url: https://h.example.com/SECRET"), "holdpoint.yaml:4: channel c: webhook.secret is missing"},
		"a secret in clear":   {channelOf("webhook:", "  url: https://h.example.com/", "  secret: whsec_SECRET"), "holdpoint.yaml:5: channel c: webhook.secret must be a reference"},
		"http":                {channelOf("webhook:", "  secret: ${env:S}", "  url: http://h.example.com/SECRET", "  allow_http: true"), "holdpoint.yaml:5: channel c: webhook.url must begin with https"},
		"http to us, unasked": {channelOf("webhook:", "  secret: ${env:S}", "  url: http://127.0.0.1/SECRET"), "holdpoint.yaml:5: channel c: webhook.url must begin with https"},
		"no such reference":   {channelOf("webhook:", "  url: ${HOOK}", `  secret: "${env:S}"`), `holdpoint.yaml:4: webhook.url: "${HOOK}" is no reference to a secret`},
		"headers":             {withHook("headers: {}"), `holdpoint.yaml:6: unknown field "headers"; known are url, secret, allow_http, ca_file`},
		"no ca_file":          {withHook("ca_file: none.pem"), "holdpoint.yaml:6: channel c: webhook.ca_file cannot be read"},
		"an empty ca_file":    {withHook("ca_file: " + empty), "holdpoint.yaml:6: channel c: webhook.ca_file holds no certificate"},

		"no server":              {channelOf("mail:", "  from: h@example.com", "  to: [a@example.com]"), "holdpoint.yaml:4: channel c: mail.address must be host:port"},
		"mail in clear":          {withMail("  tls: none"), "holdpoint.yaml:7: channel c: mail.tls is none"},
		"a password":             {withMail("  auth: {mechanism: plain, username: u, password: SECRET}"), "holdpoint.yaml:7: channel c: mail.auth.password must be a reference"},
		"no from":                {channelOf("mail:", "  address: m.example.com:587", "  to: [a@example.com]"), "holdpoint.yaml:4: channel c: mail.from is missing"},
		"no from address":        {channelOf("mail:", "  address: m.example.com:587", "  from: Holdpoint", "  to: [a@example.com]"), "holdpoint.yaml:5: channel c: mail.from cannot be used"},
		"nobody":                 {channelOf("mail:", "  address: m.example.com:587", "  from: h@example.com", "  to: []"), "holdpoint.yaml:6: channel c: mail.to must be a list of 1 to 100 mail addresses"},
		"too many":               {channelOf("mail:", "  address: m.example.com:587", "  from: h@example.com", "  to: ["+strings.Repeat("a@example.com, ", 101)+"]"), "mail.to must be a list of 1 to 100"},
		"two in one":             {channelOf("mail:", "  address: m.example.com:587", "  from: h@example.com", "  to:", "    - a@example.com", "    - b@example.com, c@example.com"), "holdpoint.yaml:8: channel c: mail.to.1 cannot be used"},
		"html":                   {withMail("  html: x"), `holdpoint.yaml:7: unknown field "html"`},
		"an empty subject":       {withMail(`  subject: ""`), "holdpoint.yaml:7: channel c: mail.subject is empty"},
		"a subject of two lines": {withMail("  subject: |", "    a", "    b"), "holdpoint.yaml:7: channel c: mail.subject has a line break"},
		"an empty text":          {withMail(`  text: " "`), "holdpoint.yaml:7: channel c: mail.text is empty for approval.requested"},

		"a field that is not there":    {withMail(`  subject: "{{.Titel}}"`), "holdpoint.yaml:7: channel c: mail.subject: there is no .Titel; known are .Event, .Title, .Explanation,"},
		"in a block":                   {withMail("  text: |", "    Hello,", "", "    {{.Tenants}}"), "holdpoint.yaml:10: channel c: mail.text: there is no .Tenants; known are .Event,"},
		"only when there is no limit":  {withMail("  text: |", "    {{if .Until}}{{.Until}}", "    {{else}}{{.Never}}{{end}}"), "holdpoint.yaml:9: channel c: mail.text: there is no .Never; known"},
		"only for one event":           {withMail(`  text: '{{if eq .Event "resolution.needed"}}{{.Now}}{{end}}.'`), "holdpoint.yaml:7: channel c: mail.text: there is no .Now; known"},
		"only for people":              {withMail(`  text: '{{range .People}}{{.Name}}{{end}}.'`), "holdpoint.yaml:7: channel c: mail.text: there is no .Name in what stands there"},
		"an action without an end":     {withMail("  text: |", "    a", "    {{.Key"), "holdpoint.yaml:10: channel c: mail.text: unclosed action started at text:2"},
		"a function that is not there": {withMail("  text: '{{upper .Key}}'"), `holdpoint.yaml:7: channel c: mail.text: function "upper" not defined`},
		"a text without an end":        {withMail(`  text: '{{printf "%300000s" .Key}}'`), "more than 256 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(t, tt.text)
			require.ErrorContains(t, err, tt.says)
			require.NotContains(t, err.Error(), "SECRET")
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// A template is looked at for the events that its channel wants, and no others.
func TestTemplateOfOneEvent(t *testing.T) {
	_, err := parse(t, withMail(`  text: '{{if ne .Event "resolution.needed"}}{{.Now}}{{end}}.'`)+"    events: [resolution.needed]\n")
	require.NoError(t, err)
}

func TestEveryMistakeIsNamed(t *testing.T) {
	_, err := parse(t, "notify:\n  a: {slack: {}}\n  b: {"+goodHook+"}\n  c: {}\n")
	require.EqualError(t, err, "holdpoint.yaml:2: unknown field \"slack\"; known are webhook, mail, events, tenants, timeout\n"+
		"holdpoint.yaml:4: channel c has neither webhook nor mail")
}

func TestEveryEventHasWords(t *testing.T) {
	require.Equal(t, []workflows.Event{
		workflows.ApprovalRequested, workflows.ApprovalReminded, workflows.ApprovalExpired,
		workflows.ConfirmationRequested, workflows.ResolutionNeeded,
	}, allEvents())
	for _, w := range wordings {
		require.NotEmpty(t, w.title)
		require.True(t, strings.HasSuffix(w.explanation, "."))
	}
	require.Equal(t, "run.begun", fieldsOf(workflows.Notice{Event: "run.begun"}).Title, "of another version's event, the name")
}

const page = "../../docs/notifications.md"

// What the page declares is accepted as it stands there, and every field of
// templates is on it.
func TestThePageIsTrue(t *testing.T) {
	raw, err := os.ReadFile(page)
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^```yaml\n(notify:.*?)^```").FindAllStringSubmatch(string(raw), -1)
	require.GreaterOrEqual(t, len(blocks), 3)
	for _, block := range blocks {
		c := parsed(t, block[1])
		require.NotEmpty(t, c.List(), block[1])
	}
	for field := range reflect.TypeFor[fields]().Fields() {
		require.Contains(t, string(raw), "`."+field.Name+"`")
	}
	for _, w := range wordings {
		require.Contains(t, string(raw), "`"+string(w.event)+"`")
	}
}

// A secret that could never sign is found before the first notice. One that is
// not there may be there where the worker runs.
func TestRefusedSecretsAreNamedWithFileAndLine(t *testing.T) {
	c := parsed(t, `notify:
  oncall:
    webhook:
      url: "${env:HOOK_URL}"
      secret: "${env:HOOK_SECRET}"
  editors: {`+goodMail+`}
`)
	const good = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	for name, tt := range map[string]struct {
		url, secret string
		want        []string
	}{
		"good":            {"https://h.example.com/x", good, nil},
		"two that sign":   {"https://h.example.com/x", good + " " + good, nil},
		"not there":       {"", "", nil},
		"blanks":          {"https://h.example.com/x", "  ", []string{"holdpoint.yaml:5: channel oncall: webhook.secret is empty"}},
		"without prefix":  {"https://h.example.com/x", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", []string{"holdpoint.yaml:5: channel oncall: webhook.secret must begin with whsec_"}},
		"no base64":       {"https://h.example.com/x", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-", []string{"holdpoint.yaml:5: channel oncall: webhook.secret must be base64 behind whsec_"}},
		"too short":       {"https://h.example.com/x", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa==", []string{"holdpoint.yaml:5: channel oncall: webhook.secret must be 24 to 64 bytes, in base64"}},
		"http, elsewhere": {"http://h.example.com/x", good, []string{"holdpoint.yaml:4: channel oncall: webhook.url must begin with https"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOOK_URL", tt.url)
			t.Setenv("HOOK_SECRET", tt.secret)
			refused := c.RefusedSecrets()
			require.Len(t, refused, len(tt.want))
			for i, want := range tt.want {
				require.ErrorContains(t, refused[i], want)
				require.NotContains(t, refused[i].Error(), "MfKQ9r8G")
			}
		})
	}
	var none *Channels
	require.Empty(t, none.RefusedSecrets())
}
