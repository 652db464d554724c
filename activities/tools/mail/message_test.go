package mail

import (
	"bytes"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

var theDate = time.Date(2026, 11, 29, 18, 4, 5, 0, time.FixedZone("CET", 3600))

func TestPreciseBytesOfAMail(t *testing.T) {
	m := message{
		id:      theID,
		from:    address{name: "周报", mailbox: "reports@example.com"},
		to:      []address{{mailbox: "mei@example.com"}, {name: "Ops, all", mailbox: "ops@example.com"}},
		subject: "周报", text: "你好\n=.\n.\n",
	}
	raw, err := m.bytes(theDate)
	require.NoError(t, err)
	// printf 周报 | base64: 5ZGo5oql. 你好 is E4 BD A0 E5 A5 BD.
	require.Equal(t, strings.Join([]string{
		"Date: Sun, 29 Nov 2026 17:04:05 +0000",
		"Message-ID: <" + theID + ">",
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

	again, err := m.bytes(theDate.Add(time.Hour))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(raw), "\r\n")
	_, restAgain, _ := strings.Cut(string(again), "\r\n")
	require.Equal(t, rest, restAgain, "a resend differs in its date only")
}

// What a reader of mail sees is what was approved.
func TestMailsReadAsTheyWereWritten(t *testing.T) {
	long := strings.Repeat("长", 300)
	for name, m := range map[string]message{
		"plain":                      {subject: "Week 48", text: "All is well."},
		"Chinese":                    {subject: "2026年第48周周报:支付网关", text: "支付网关已恢复。\n\n谢谢。"},
		"long Chinese subject":       {subject: strings.Repeat("周报与数据平台", 40), text: "x"},
		"long subject without gaps":  {subject: strings.Repeat("a", maxSubject), text: "x"},
		"long lines":                 {subject: "x", text: strings.Repeat("a", 5000) + "\n" + long},
		"emoji":                      {subject: "🚀 " + strings.Repeat("🎉", 60), text: "👩‍💻"},
		"a subject that looks coded": {subject: "=?utf-8?q?Pay_now?=", text: "x"},
		"blanks around a subject":    {subject: "  x ", text: "x"},
		"line ends":                  {subject: "x", text: "a\r\nb\rc\nd=\r=\ne \t\nf "},
		"dots":                       {subject: "x", text: ".\n..\n.a\n"},
		"odd bytes":                  {subject: "x", text: "\x00\x1b\x7f"},
		"html":                       {subject: "x", text: "plain 文", html: "<p>rich 文</p>\n--=_alternative--\n"},
		"odd names":                  {subject: "x", text: "x", cc: []address{{name: `a "b" \ <c@d>, e`, mailbox: "c@example.com"}, {name: "=?utf-8?q?x?=", mailbox: "d@example.com"}, {name: long[:190], mailbox: "e@example.com"}}},
		"an odd local part":          {subject: "x", text: "x", replyTo: []address{{mailbox: `a b"c@example.com`}}},
	} {
		t.Run(name, func(t *testing.T) {
			m.id = theID
			m.from, m.to = address{mailbox: "reports@example.com"}, []address{{name: "陈梅", mailbox: "mei@example.com"}}
			raw, err := m.bytes(theDate)
			require.NoError(t, err)
			requireSafeLines(t, raw)
			read, err := mail.ReadMessage(bytes.NewReader(raw))
			require.NoError(t, err)
			require.Equal(t, []string{"<" + theID + ">"}, read.Header["Message-Id"])
			subject, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
			require.NoError(t, err)
			require.Equal(t, strings.TrimRight(m.subject, " "), strings.TrimRight(subject, " "))
			for field, want := range map[string][]address{"From": {m.from}, "To": m.to, "Cc": m.cc, "Reply-To": m.replyTo} {
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

func requireAddresses(t *testing.T, h mail.Header, field string, want []address) {
	t.Helper()
	if len(want) == 0 {
		require.Empty(t, h.Get(field), field)
		return
	}
	got, err := h.AddressList(field)
	require.NoError(t, err, field)
	require.Len(t, got, len(want), field)
	for i, a := range want {
		require.Equal(t, a.mailbox, got[i].Address, field)
		require.Equal(t, a.name, got[i].Name, field)
	}
}

func requireBody(t *testing.T, read *mail.Message, m message) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	require.NoError(t, err)
	if m.html == "" {
		require.Equal(t, "text/plain", kind)
		require.Equal(t, "utf-8", params["charset"])
		text, err := io.ReadAll(quotedprintable.NewReader(read.Body))
		require.NoError(t, err)
		requireText(t, m.text, string(text))
		return
	}
	require.Equal(t, "multipart/alternative", kind)
	parts := multipart.NewReader(read.Body, params["boundary"])
	for _, want := range []struct{ kind, text string }{{"text/plain; charset=utf-8", m.text}, {"text/html; charset=utf-8", m.html}} {
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

func TestParametersCannotBecomeHeadersOrRecipients(t *testing.T) {
	tool := mailer(t, "127.0.0.1:25", `cc: "{{'cc' in params ? params.cc : []}}"`, `reply_to: "{{'name' in params ? [params.name + ' <ops@example.com>'] : []}}"`)
	for name, tt := range map[string]struct {
		params map[string]any
		says   string
	}{
		"line feed in the subject": {map[string]any{"subject": "a\nBcc: x@example.com"}, "line break"},
		"CRLF in the subject":      {map[string]any{"subject": "a\r\nBcc: x@example.com"}, "line break"},
		"NUL in the subject":       {map[string]any{"subject": "a\x00b"}, "control character"},
		"no subject":               {map[string]any{"subject": " "}, "no subject"},
		"too long a subject":       {map[string]any{"subject": strings.Repeat("x", maxSubject+1)}, "1000 bytes"},
		"line feed in an address":  {map[string]any{"to": "mei@example.com\nBcc: x@example.com"}, "no mail address"},
		"two addresses in one":     {map[string]any{"to": "mei@example.com, x@example.com"}, "no mail address"},
		"a group":                  {map[string]any{"to": "g: mei@example.com, x@example.com;"}, "no mail address"},
		"a second command":         {map[string]any{"to": "<mei@example.com>\r\nRCPT TO:<x@example.com>"}, "no mail address"},
		"a line feed in code":      {map[string]any{"to": "=?utf-8?b?YQ0KQmNjOiB4?= <mei@example.com>"}, "control characters"},
		"a line feed in a quote":   {map[string]any{"to": "\"a\nb\"@example.com"}, "no mail address"},
		"a name that is no name":   {map[string]any{"name": "x <y@example.com>,"}, "no mail address"},
		"letters beyond ASCII":     {map[string]any{"to": "梅@example.com"}, "SMTPUTF8"},
		"too long an address":      {map[string]any{"to": strings.Repeat("a", 250) + "@example.com"}, "too long"},
		"no recipient":             {map[string]any{"to": []any{}}, "no recipient"},
		"only a copy":              {map[string]any{"to": []any{}, "cc": "mei@example.com"}, "no recipient"},
		"a number as a recipient":  {map[string]any{"to": []any{7}}, "must be a text"},
		"more than max_recipients": {map[string]any{"to": []any{"a@x.cn", "b@x.cn", "c@x.cn", "d@x.cn", "e@x.cn", "f@x.cn"}, "cc": []any{"g@x.cn", "h@x.cn", "i@x.cn", "j@x.cn", "k@x.cn"}}, "11 recipients, and max_recipients is 10"},
		"empty":                    {map[string]any{"to": ""}, "no mail address"},
	} {
		t.Run(name, func(t *testing.T) {
			params := aMail()
			maps.Copy(params, tt.params)
			_, err := prepare(tool, params)
			fault := requireFault(t, err, faults.Permanent, "bad_parameters")
			require.Contains(t, fault.Reason, tt.says)
			require.Contains(t, fault.Reason, "send_report")
			// The worker that sends asks no less than the one that planned.
			fault = requireFault(t, apply(t, tool, callWith(params)), faults.Permanent, "bad_parameters")
			require.Contains(t, fault.Reason, tt.says)
		})
	}
}

func TestValuesInHTMLAreTexts(t *testing.T) {
	tool := mailer(t, "127.0.0.1:25", `html: "<p>{{params.text}}</p>"`)
	params := aMail()
	params["text"] = `<script>alert("1")</script>`
	prepared, err := prepare(tool, params)
	require.NoError(t, err)
	require.Contains(t, prepared.Preview, `<p>&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;</p>`)
}

func TestApproverSeesAllOfTheMail(t *testing.T) {
	tool := mailer(t, "127.0.0.1:25", `cc: ["{{params.cc}}", "Archive <archive@例子.cn>"]`, `reply_to: ops@example.com`, `html: "<b>{{params.text}}</b>"`)
	params := aMail()
	params["cc"] = "梅 <mei@example.com>"
	prepared, err := prepare(tool, params)
	require.NoError(t, err)
	require.Empty(t, prepared.Precondition)
	require.Equal(t, `From: 周报 <reports@example.com>
To: <mei@example.com>, <ops@example.com>
Cc: 梅 <mei@example.com>, Archive <archive@xn--fsqu00a.cn>
Reply-To: <ops@example.com>
Subject: Week 48
Message-ID: <idempotency key>@example.com

All is well.


--- the same as HTML, which most programs show instead ---
<b>All is well.
</b>`, prepared.Preview)
}

func TestOnePersonInTwoListsGetsOneMail(t *testing.T) {
	server := newScripted(t)
	tool := mailer(t, server.address, "cc: Mei <mei@EXAMPLE.com>")
	require.NoError(t, apply(t, tool, theCall()))
	require.Equal(t, []string{"EHLO", "MAIL", "RCPT", "RCPT", "DATA"}, server.commands()[:5])
	server.requireMails(1)
}
