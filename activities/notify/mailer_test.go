package notify

import (
	"bytes"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/internal/targets/smtpserver"
	"github.com/holdpoint/holdpoint/workflows"
)

const theID = theKey + "@example.com"

// letters is a configuration with the channel "oncall", a mail to two people.
func letters(t *testing.T, address string, more ...string) *Channels {
	t.Helper()
	lines := append([]string{"address: " + address, `from: "Holdpoint <holdpoint@example.com>"`, "to: [bo@example.com, Cy Ma <cy@example.com>]"}, more...)
	if !strings.Contains(strings.Join(more, "\n"), "tls:") {
		lines = append(lines, "tls: none")
	}
	return parsed(t, "notify:\n  oncall:\n    timeout: 5s\n    mail:\n      "+strings.Join(lines, "\n      ")+"\n")
}

// mailsOf are the mails that the server has of the notice.
func mailsOf(t *testing.T, s *smtpserver.Server) []*mail.Message {
	t.Helper()
	raw, err := s.Mails(t.Context(), theID)
	require.NoError(t, err)
	var mails []*mail.Message
	for _, r := range raw {
		m, err := mail.ReadMessage(bytes.NewReader(r))
		require.NoError(t, err)
		mails = append(mails, m)
	}
	return mails
}

func subjectOf(t *testing.T, m *mail.Message) string {
	t.Helper()
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	require.NoError(t, err)
	return subject
}

func textOf(t *testing.T, m *mail.Message) string {
	t.Helper()
	text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	require.NoError(t, err)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func TestAMailSaysWhatToDo(t *testing.T) {
	server := smtpserver.Start(t, smtpserver.Options{})
	answer, err := send(letters(t, server.Address()), notice())
	require.NoError(t, err)
	require.Regexp(t, `^250 `, answer)
	mails := mailsOf(t, server)
	require.Len(t, mails, 1)
	require.Equal(t, "<"+theID+">", mails[0].Header.Get("Message-Id"))
	require.Equal(t, "auto-generated", mails[0].Header.Get("Auto-Submitted"))
	require.Equal(t, "<bo@example.com>, \"Cy Ma\" <cy@example.com>", mails[0].Header.Get("To"))
	require.Equal(t, "Approval needed: weekly-2026-w48 (acme)", subjectOf(t, mails[0]))
	require.Equal(t, `A run has made a plan and waits for a decision on it. Nothing in the plan happens before it is approved.

Run:           acme/weekly-2026-w48
Requested by:  ann.wu
Plan:          sha256:64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525
Size:          3 actions, risk high
Waiting:       open-order
Still needed:  2 of editors
Who may do it: bo.lin, cy.ma
Time limit:    Tuesday, 2026-12-01 10:00 UTC

What to type next:

  approver show acme/weekly-2026-w48

What the plan says is not in this mail. Look at the run before you decide.
A program sent this mail, and nobody reads replies to it.
`, textOf(t, mails[0]))
}

var dateField = regexp.MustCompile(`(?m)^Date: .*$`)

func TestTwoMailsOfANoticeAreOneMessage(t *testing.T) {
	server := smtpserver.Start(t, smtpserver.Options{})
	c := letters(t, server.Address())
	for range 2 {
		_, err := send(c, notice())
		require.NoError(t, err)
	}
	raw, err := server.Mails(t.Context(), theID)
	require.NoError(t, err)
	require.Len(t, raw, 2)
	same := func(mail []byte) string {
		_, ours, found := strings.Cut(string(mail), "\r\nDate: ") // behind what the server put before
		require.True(t, found)
		return dateField.ReplaceAllString("Date: "+ours, "")
	}
	require.Equal(t, same(raw[0]), same(raw[1]))
}

func TestTLSAndAuth(t *testing.T) {
	t.Setenv("SMTP_PASSWORD", "correct-horse")
	server := smtpserver.Start(t, smtpserver.Options{TLS: smtpserver.StartTLS, Users: map[string]string{"holdpoint": "correct-horse"}})
	login := `auth: {mechanism: plain, username: holdpoint, password: "${env:SMTP_PASSWORD}"}`
	c := letters(t, server.Address(), "tls: starttls", "ca_file: "+server.CAFile(), login)
	_, err := send(c, notice())
	require.NoError(t, err)
	require.Len(t, mailsOf(t, server), 1)

	t.Setenv("SMTP_PASSWORD", "wrong-horse")
	_, err = send(c, notice())
	f := requireFault(t, err, faults.Permanent, "smtp_535")
	require.NotContains(t, f.Error(), "horse")
	require.Len(t, mailsOf(t, server), 1)
}

// One who has left the company does not keep the others from being told.
func TestARefusedRecipientIsLeftOut(t *testing.T) {
	server := smtpserver.Start(t, smtpserver.Options{Recipients: `^cy@example\.com$`})
	answer, err := send(letters(t, server.Address()), notice())
	require.NoError(t, err)
	require.Regexp(t, `^250 .*; 1 of 2 recipients were refused$`, answer)
	require.Len(t, mailsOf(t, server), 1)

	nobody := smtpserver.Start(t, smtpserver.Options{Recipients: `^eve@example\.com$`})
	_, err = send(letters(t, nobody.Address()), notice())
	f := requireFault(t, err, faults.Permanent, "recipients_refused")
	require.Contains(t, f.Reason, "2 of 2 recipients were refused: ")
	require.NotContains(t, f.Reason, "cy@")
	require.Empty(t, mailsOf(t, nobody))
}

// A mail that may have been taken is sent again: the second has the same
// Message-ID, and nobody is asked.
func TestAMailOfUnknownOutcomeIsTriedAgain(t *testing.T) {
	server := smtpserver.Start(t, smtpserver.Options{})
	link := kindtest.NewLink(t, server.Address())
	c := letters(t, link.Addr())
	c.byName[0].timeout = 500 * time.Millisecond
	link.LoseAnswers("\r\n.\r\n")
	_, err := send(c, notice())
	f := requireFault(t, err, faults.Unknown, "no_answer")
	require.NotEqual(t, faults.CodeOutcomeUnknown, f.Code, "which would end the attempts")
	require.Len(t, mailsOf(t, server), 1)

	link.Heal()
	_, err = send(c, notice())
	require.NoError(t, err)
	require.Len(t, mailsOf(t, server), 2)

	link.Down()
	_, err = send(c, notice())
	requireFault(t, err, faults.Transient, "dial_failed")
	require.Len(t, mailsOf(t, server), 2)
}

func TestHostileTextsBecomeNoHeaderAndDrawNothing(t *testing.T) {
	server := smtpserver.Start(t, smtpserver.Options{})
	_, err := send(letters(t, server.Address(), "subject: '{{.BusinessID}} {{.Requester}}'"), func() workflows.Notice {
		n := hostile()
		n.Tenant = "acme"
		return n
	}())
	require.NoError(t, err)
	mails := mailsOf(t, server)
	require.Len(t, mails, 1)
	require.Empty(t, mails[0].Header.Get("Bcc"))
	require.Equal(t, `x\u{000D}\u{000A}Bcc: eve@example.com\u{000D}\u{000A}\u{000D}\u{000A}<b>\u{202E}\u{200B}\u{001B}]0;owned\u{0007}{{.Key}}\x{FF} ann\u{000A}Subject: paid`,
		subjectOf(t, mails[0]))
	text := textOf(t, mails[0])
	require.Contains(t, text, `Run:           acme/x\u{000D}\u{000A}Bcc: eve@example.com\u{202E}`+"\n")
	require.Contains(t, text, `Waiting:       a\u{0009}b`+"\n")
	require.Contains(t, text, `Still needed:  2 of \u{2066}editors`+"\n")
	require.Contains(t, text, `Who may do it: bo\u{2028}lin, cy\u{0000}ma`+"\n")
	require.Contains(t, text, `  approver show 'x\u{000A}y'`+"\n")
	for _, r := range text {
		require.True(t, r == '\n' || r >= ' ' && r <= '~', "%q", r)
	}
}

// No plan makes a mail that a server refuses for its size.
func TestLongListsAndTextsAreCut(t *testing.T) {
	n := notice()
	n.Waiting = strings.Fields(strings.Repeat("action ", 1000))
	n.BusinessID, n.Command = strings.Repeat("长", 5000), strings.Repeat("x", 5000)
	m, ok := letters(t, "127.0.0.1:25").byName[0].sender.(*mailer)
	require.True(t, ok)
	message, err := m.compose(n)
	require.NoError(t, err)
	require.Contains(t, message.Text, strings.Repeat("action, ", 20)+"and 980 more\n")
	require.Contains(t, message.Text, "  "+strings.Repeat("x", 1000)+"…\n")
	require.LessOrEqual(t, len(message.Subject), maxSubject+len("…"))
	require.Less(t, len(message.Text), 8<<10)
}

func TestATemplateThatAPlanBreaks(t *testing.T) {
	c := letters(t, "127.0.0.1:25", `text: '{{if gt .Actions 2}}{{index .People 5}}{{end}}.'`)
	_, err := send(c, notice())
	f := requireFault(t, err, faults.Permanent, "bad_template")
	require.Contains(t, f.Reason, "index out of range: 5")
}
