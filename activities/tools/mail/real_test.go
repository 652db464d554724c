package mail

import (
	"bytes"
	"context"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/activities/tools/mail/smtpclient"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/smtpserver"
)

// secure are settings of a mail through a server with TLS.
func secure(s *smtpserver.Server, tls string, more ...string) []string {
	lines := settingsFor(s.Address(), append(more, "ca_file: "+s.CAFile())...)
	lines[1] = "tls: " + tls
	return lines
}

func secureMailer(t *testing.T, lines []string) tools.Tool {
	t.Helper()
	tool, err := declare(t, 5*time.Second, lines...)
	require.NoError(t, err)
	return tool
}

func count(tb testing.TB, s *smtpserver.Server, key string) int {
	tb.Helper()
	n, err := s.Count(context.Background(), key+"@example.com")
	require.NoError(tb, err)
	return n
}

func TestTLSAndAuthAgainstARealServer(t *testing.T) {
	t.Setenv("SMTP_PASSWORD", "correct-horse")
	for tlsName, way := range map[string]smtpserver.TLS{smtpclient.StartTLS: smtpserver.StartTLS, smtpclient.ImplicitTLS: smtpserver.ImplicitTLS} {
		for _, mechanism := range []string{smtpclient.MechanismPlain, smtpclient.MechanismLogin} {
			t.Run(tlsName+" "+mechanism, func(t *testing.T) {
				server := smtpserver.Start(t, smtpserver.Options{TLS: way, Users: map[string]string{"reports": "correct-horse"}})
				login := `auth: {mechanism: ` + mechanism + `, username: reports, password: "${env:SMTP_PASSWORD}"}`
				params := aMail()
				params["subject"], params["text"] = "2026年第48周周报:支付网关", "支付网关已恢复。\n"
				tool := secureMailer(t, secure(server, tlsName, login, `html: "<p>{{params.text}}</p>"`))
				require.NoError(t, apply(t, tool, callWith(params)))
				require.Equal(t, 1, count(t, server, theKey))
				mails, err := server.Mails(t.Context(), theID)
				require.NoError(t, err)
				read, err := mail.ReadMessage(bytes.NewReader(mails[0]))
				require.NoError(t, err)
				require.Equal(t, []string{"支付网关已恢复。\n", "<p>支付网关已恢复。\n</p>"}, bodies(t, read))
			})
		}
	}
}

// bodies are the parts of a mail that has two, with the line ends of a text.
func bodies(t *testing.T, m *mail.Message) []string {
	t.Helper()
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	require.NoError(t, err)
	var texts []string
	parts := multipart.NewReader(m.Body, params["boundary"])
	for range 2 {
		part, err := parts.NextPart() // decodes quoted-printable
		require.NoError(t, err)
		text, err := io.ReadAll(part)
		require.NoError(t, err)
		texts = append(texts, strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	return texts
}

func TestNothingIsSentToAServerThatIsNotTrusted(t *testing.T) {
	t.Setenv("SMTP_PASSWORD", "wrong-horse")
	const login = `auth: {mechanism: plain, username: reports, password: "${env:SMTP_PASSWORD}"}`
	withTLS := smtpserver.Start(t, smtpserver.Options{TLS: smtpserver.StartTLS, Users: map[string]string{"reports": "correct-horse"}})
	implicit := smtpserver.Start(t, smtpserver.Options{TLS: smtpserver.ImplicitTLS})
	inClear := smtpserver.Start(t, smtpserver.Options{})
	stranger := func(s *smtpserver.Server, tls string) []string {
		lines := settingsFor(s.Address()) // trusts the system's authorities only
		lines[1] = "tls: " + tls
		return lines
	}
	for name, tt := range map[string]struct {
		server *smtpserver.Server
		lines  []string
		code   string
	}{
		"unknown authority":               {withTLS, stranger(withTLS, smtpclient.StartTLS), "smtp_certificate"},
		"unknown authority, implicit TLS": {implicit, stranger(implicit, smtpclient.ImplicitTLS), "smtp_certificate"},
		"no STARTTLS":                     {inClear, stranger(inClear, smtpclient.StartTLS), "smtp_no_starttls"},
		"no TLS at all":                   {inClear, stranger(inClear, smtpclient.ImplicitTLS), "smtp_tls"},
		"no AUTH":                         {inClear, settingsFor(inClear.Address(), login), "smtp_no_auth"},
		"wrong password":                  {withTLS, secure(withTLS, smtpclient.StartTLS, login), "smtp_535"},
		"no TLS where it is required":     {withTLS, settingsFor(withTLS.Address()), "smtp_530"},
	} {
		t.Run(name, func(t *testing.T) {
			fault := requireFault(t, apply(t, secureMailer(t, tt.lines), theCall()), faults.Permanent, tt.code)
			require.NotContains(t, fault.Reason, "wrong-horse")
			require.Zero(t, count(t, tt.server, theKey))
		})
	}
}

// Another worker may have the password: the mail is not given up.
func TestPasswordThatIsNotThereWaits(t *testing.T) {
	server := smtpserver.Start(t, smtpserver.Options{TLS: smtpserver.StartTLS, Users: map[string]string{"reports": "correct-horse"}})
	tool := secureMailer(t, secure(server, smtpclient.StartTLS, `auth: {mechanism: plain, username: reports, password: "${env:SMTP_LATE_PASSWORD}"}`))
	fault := requireFault(t, apply(t, tool, theCall()), faults.Transient, faults.CodeSecretMissing)
	require.True(t, fault.Waits)
	require.Contains(t, fault.Reason, "the mail server's credentials: the environment variable SMTP_LATE_PASSWORD is not set; nothing was sent")
	require.Zero(t, count(t, server, theKey))

	t.Setenv("SMTP_LATE_PASSWORD", "correct-horse")
	require.NoError(t, apply(t, tool, theCall()))
	require.Equal(t, 1, count(t, server, theKey))
}

func TestOneRefusedRecipientRefusesTheMail(t *testing.T) {
	server := smtpserver.Start(t, smtpserver.Options{Recipients: `^mei@example\.com$`})
	fault := requireFault(t, apply(t, mailer(t, server.Address()), theCall()), faults.Permanent, "recipients_refused")
	require.Contains(t, fault.Reason, "1 of 2 recipients")
	require.Zero(t, count(t, server, theKey), "not to the other one either")
}

func TestMatrix(t *testing.T) {
	server := smtpserver.Start(t, smtpserver.Options{})
	kindtest.Matrix(t, func(t *testing.T) kindtest.Subject {
		link := kindtest.NewLink(t, server.Address())
		tool, err := declare(t, 700*time.Millisecond, settingsFor(link.Addr())...)
		require.NoError(t, err)
		return kindtest.Subject{
			Tool: tool, Link: link, Sent: "\r\n.\r\n",
			Action: func(key string, payload int) plan.Action {
				params := aMail()
				params["text"] = []string{"", "All is well.", "All is lost."}[payload]
				return theAction(key, params)
			},
			Effects: func(tb testing.TB, key string) int { return count(tb, server, key) },
		}
	})
}
