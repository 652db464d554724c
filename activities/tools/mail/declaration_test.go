package mail

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestSettingsThatCannotWorkAreRefusedWithTheirLine(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	right := settingsFor("127.0.0.1:25")
	_, err := declare(t, time.Second, right...)
	require.NoError(t, err)

	without := func(i int, instead ...string) []string {
		return append(append(append([]string{}, right[:i]...), right[i+1:]...), instead...)
	}
	for name, tt := range map[string]struct {
		lines []string
		says  string
	}{
		"no address":             {without(0), "holdpoint.yaml:19: tool send_report: smtp.address must be host:port"},
		"no port":                {without(0, "address: mail.example.com"), "smtp.address must be host:port"},
		"no host":                {without(0, `address: ":25"`), "smtp.address must be host:port"},
		"tls of no kind":         {without(1, "tls: yes please"), "smtp.tls must be starttls, implicit or none"},
		"plain to the outside":   {append([]string{"address: mail.example.com:25"}, right[1:]...), "holdpoint.yaml:20: tool send_report: smtp.tls is none, which would send mails in clear"},
		"plain to a private net": {append([]string{"address: 10.0.0.1:25"}, right[1:]...), "holdpoint.yaml:20: tool send_report: smtp.tls is none, which would send mails in clear"},
		"plain password outside": {append([]string{"address: mail.example.com:25", "insecure: true", `auth: {mechanism: plain, username: u, password: "${env:P}"}`}, right[1:]...), "only over TLS"},
		"helo with a blank":      {append(right, `helo: "a b"`), "smtp.helo must be a host name"},
		"helo of two lines":      {append(right, `helo: "a\nMAIL"`), "smtp.helo must be a host name"},
		"auth of no kind":        {append(right, `auth: {mechanism: cram-md5, username: u, password: "${env:P}"}`), "smtp.auth.mechanism must be plain or login"},
		"auth without a name":    {append(right, `auth: {mechanism: plain, password: "${env:P}"}`), "needs username and password"},
		"password in the file":   {append(right, `auth: {mechanism: plain, username: u, password: hunter2}`), "must be a reference"},
		"no from":                {without(2), "smtp.from is missing"},
		"from is no address":     {without(2, `from: "Mei Chen"`), "smtp.from cannot be used: a text is no mail address, or more than one"},
		"from is two":            {without(2, `from: "a@example.com, b@example.com"`), "smtp.from cannot be used: a text is no mail address, or more than one"},
		"no to":                  {without(3), "smtp.to is missing"},
		"no subject":             {without(4), "smtp.subject is missing"},
		"no text":                {without(5), "smtp.text is missing"},
		"too many recipients":    {append(right, "max_recipients: 101"), "smtp.max_recipients must be between 1 and 100"},
		"negative recipients":    {append(right, "max_recipients: -1"), "smtp.max_recipients must be between 1 and 100"},
		"no ca_file":             {append(right, "ca_file: "+filepath.Join(folder, "none.pem")), "smtp.ca_file cannot be read"},
		"empty ca_file":          {append(right, "ca_file: "+empty), "smtp.ca_file holds no certificate"},
		"unknown field":          {append(right, "bcc: secret@example.com"), `holdpoint.yaml:25: unknown field "bcc"`},
		"unknown in auth":        {append(right, "auth: {token: x}"), `unknown field "token"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := declare(t, time.Second, tt.lines...)
			require.ErrorContains(t, err, tt.says)
			require.ErrorContains(t, err, "holdpoint.yaml:")
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestOnlyTheClassOnce(t *testing.T) {
	require.Equal(t, []plan.DeliveryClass{plan.Once}, Kind{}.Classes())
	tool := mailer(t, "127.0.0.1:25")
	_, finds := tool.(tools.Finder)
	require.False(t, finds, "nothing can look a mail up, so nothing may claim to")
	require.Zero(t, tool.Spec().Resend())
}

func TestInsecureIsAllowedWhenSaidSo(t *testing.T) {
	lines := settingsFor("mail.example.com:25", "insecure: true")
	_, err := declare(t, time.Second, lines...)
	require.NoError(t, err)
}

func TestExample(t *testing.T) {
	const file = "../../../examples/tools/smtp.yaml"
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var example struct {
		Tools map[string]yaml.Node `yaml:"tools"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &example))
	node := example.Tools["send_report"]
	tool, err := declared.New("send_report", file, &node, []declared.Kind{Kind{}})
	require.NoError(t, err)
	prepare := func(to string) (tools.Prepared, error) {
		return tool.Prepare(t.Context(), tools.Proposal{
			Parameters: []byte(`{"to":["` + to + `"],"week":"2026-W48","text":"All is well."}`), AllowedTarget: "mail/reports",
		})
	}
	prepared, err := prepare("mei@example.com")
	require.NoError(t, err)
	require.Contains(t, prepared.Preview, "To: <mei@example.com>\n")
	require.Contains(t, prepared.Preview, "Subject: Weekly report 2026-W48\n")
	_, err = prepare("mei@example.net")
	requireFault(t, err, faults.Permanent, "bad_parameters")
}
