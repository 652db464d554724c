package smtpclient

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const messageID = "5aa624e1059045bb634147f4e2b0973cef577656@example.com"

var theDate = time.Date(2026, 11, 29, 18, 4, 5, 0, time.FixedZone("CET", 3600))

func TestPreciseBytesOfAMail(t *testing.T) {
	m := Message{
		ID:      messageID,
		From:    Address{Name: "周报", Mailbox: "reports@example.com"},
		To:      []Address{{Mailbox: "mei@example.com"}, {Name: "Ops, all", Mailbox: "ops@example.com"}},
		Subject: "周报", Text: "你好\n=.\n.\n",
	}
	raw, err := m.Bytes(theDate)
	require.NoError(t, err)
	// printf 周报 | base64: 5ZGo5oql. 你好 is E4 BD A0 E5 A5 BD.
	require.Equal(t, strings.Join([]string{
		"Date: Sun, 29 Nov 2026 17:04:05 +0000",
		"Message-ID: <" + messageID + ">",
		"From: =?utf-8?b?5ZGo5oql?=",
		" <reports@example.com>",
		"To: <mei@example.com>,",
		` "Ops, all"`,
		" <ops@example.com>",
		"Subject: =?utf-8?b?5ZGo5oql?=",
		"Auto-Submitted: auto-generated",
		"MIME-Version: 1.0",
		"Content-Type: text/plain; charset=utf-8",
		"Content-Transfer-Encoding: quoted-printable",
		"",
		"=E4=BD=A0=E5=A5=BD",
		"=3D.",
		".",
		"",
	}, "\r\n"), string(raw))

	again, err := m.Bytes(theDate.Add(time.Hour))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(raw), "\r\n")
	_, restAgain, _ := strings.Cut(string(again), "\r\n")
	require.Equal(t, rest, restAgain, "a resend differs in its date only")
}

// What a reader of mail sees is what was approved.
func TestMailsReadAsTheyWereWritten(t *testing.T) {
	long := strings.Repeat("长", 300)
	for name, m := range map[string]Message{
		"plain":                      {Subject: "Week 48", Text: "All is well."},
		"Chinese":                    {Subject: "2026年第48周周报:支付网关", Text: "支付网关已恢复。\n\n谢谢。"},
		"long Chinese subject":       {Subject: strings.Repeat("周报与数据平台", 40), Text: "x"},
		"long subject without gaps":  {Subject: strings.Repeat("a", 1000), Text: "x"},
		"long lines":                 {Subject: "x", Text: strings.Repeat("a", 5000) + "\n" + long},
		"emoji":                      {Subject: "🚀 " + strings.Repeat("🎉", 60), Text: "👩‍💻"},
		"a subject that looks coded": {Subject: "=?utf-8?q?Pay_now?=", Text: "x"},
		"blanks around a subject":    {Subject: "  x ", Text: "x"},
		"line ends":                  {Subject: "x", Text: "a\r\nb\rc\nd=\r=\ne \t\nf "},
		"dots":                       {Subject: "x", Text: ".\n..\n.a\n"},
		"odd bytes":                  {Subject: "x", Text: "\x00\x1b\x7f"},
		"html":                       {Subject: "x", Text: "plain 文", HTML: "<p>rich 文</p>\n--=_alternative--\n"},
		"odd names":                  {Subject: "x", Text: "x", CC: []Address{{Name: `a "b" \ <c@d>, e`, Mailbox: "c@example.com"}, {Name: "=?utf-8?q?x?=", Mailbox: "d@example.com"}, {Name: long[:190], Mailbox: "e@example.com"}}},
		"an odd local part":          {Subject: "x", Text: "x", ReplyTo: []Address{{Mailbox: `a b"c@example.com`}}},
	} {
		t.Run(name, func(t *testing.T) {
			m.ID = messageID
			m.From, m.To = Address{Mailbox: "reports@example.com"}, []Address{{Name: "陈梅", Mailbox: "mei@example.com"}}
			raw, err := m.Bytes(theDate)
			require.NoError(t, err)
			requireSafeLines(t, raw)
			read, err := mail.ReadMessage(bytes.NewReader(raw))
			require.NoError(t, err)
			require.Equal(t, []string{"<" + messageID + ">"}, read.Header["Message-Id"])
			subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
			require.NoError(t, err)
			require.Equal(t, strings.TrimRight(m.Subject, " "), strings.TrimRight(subject, " "))
			for field, want := range map[string][]Address{"From": {m.From}, "To": m.To, "Cc": m.CC, "Reply-To": m.ReplyTo} {
				requireAddresses(t, read.Header, field, want)
			}
			requireBody(t, read, m)
		})
	}
}

// requireSafeLines wants what every server takes: ASCII, CRLF, no line over
// 998 characters (RFC 5322, section 2.1.1), and 76 where there is an encoded
// word (RFC 2047, section 2).
func requireSafeLines(t *testing.T, raw []byte) {
	t.Helper()
	require.True(t, bytes.HasSuffix(raw, []byte("\r\n")))
	for line := range strings.SplitSeq(strings.TrimSuffix(string(raw), "\r\n"), "\r\n") {
		require.NotContains(t, line, "\r")
		require.NotContains(t, line, "\n")
		require.True(t, isASCII(line), line)
		require.LessOrEqual(t, len(line), 998)
		if strings.Contains(line, "=?utf-8?b?") {
			require.LessOrEqual(t, len(line), 76, line)
		}
	}
}

func requireAddresses(t *testing.T, h mail.Header, field string, want []Address) {
	t.Helper()
	if len(want) == 0 {
		require.Empty(t, h.Get(field), field)
		return
	}
	got, err := h.AddressList(field)
	require.NoError(t, err, field)
	require.Len(t, got, len(want), field)
	for i, a := range want {
		require.Equal(t, a.Mailbox, got[i].Address, field)
		require.Equal(t, a.Name, got[i].Name, field)
	}
}

func requireBody(t *testing.T, read *mail.Message, m Message) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	require.NoError(t, err)
	if m.HTML == "" {
		require.Equal(t, "text/plain", kind)
		require.Equal(t, "utf-8", params["charset"])
		text, err := io.ReadAll(quotedprintable.NewReader(read.Body))
		require.NoError(t, err)
		requireText(t, m.Text, string(text))
		return
	}
	require.Equal(t, "multipart/alternative", kind)
	parts := multipart.NewReader(read.Body, params["boundary"])
	for _, want := range []struct{ kind, text string }{{"text/plain; charset=utf-8", m.Text}, {"text/html; charset=utf-8", m.HTML}} {
		part, err := parts.NextPart() // decodes quoted-printable
		require.NoError(t, err)
		require.Equal(t, want.kind, part.Header.Get("Content-Type"))
		text, err := io.ReadAll(part)
		require.NoError(t, err)
		requireText(t, want.text, string(text))
	}
	_, err = parts.NextPart()
	require.ErrorIs(t, err, io.EOF)
}

// requireText compares line by line: a mail's line ends are its own, and a
// last line may have got one.
func requireText(t *testing.T, want, got string) {
	t.Helper()
	want = strings.ReplaceAll(strings.ReplaceAll(want, "\r\n", "\n"), "\r", "\n")
	got = strings.ReplaceAll(got, "\r\n", "\n")
	require.Equal(t, strings.TrimSuffix(want, "\n"), strings.TrimSuffix(got, "\n"))
}
