package mail

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

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
