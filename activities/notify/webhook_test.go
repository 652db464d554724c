package notify

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2/event"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/workflows"
)

// Two libraries that know nothing of this package read and verify it.
func TestAReceiverVerifiesAndReadsTheNotice(t *testing.T) {
	r := newReceiver(t, status(http.StatusAccepted))
	answer, err := send(hook(t, r.URL+"/in/PATH?q=QUERY"), notice())
	require.NoError(t, err)
	require.Equal(t, "202", answer)
	require.Len(t, r.got(), 1)
	got := r.got()[0]
	require.Equal(t, "POST /in/PATH", got.method+" "+got.path)

	verifier, err := standardwebhooks.NewWebhook(theSecret)
	require.NoError(t, err)
	require.NoError(t, verifier.Verify(got.body, got.header), "also that the time is now")
	require.Error(t, verifier.Verify(append(got.body, ' '), got.header))
	require.Equal(t, theKey, got.header.Get("Webhook-Id"))

	require.Equal(t, "application/cloudevents+json; charset=UTF-8", got.header.Get("Content-Type"))
	var e cloudevents.Event
	require.NoError(t, e.UnmarshalJSON(got.body))
	require.NoError(t, e.Validate())
	require.Equal(t, []string{"1.0", theKey, "/holdpoint/acme", "holdpoint.approval.requested", "acme/weekly-2026-w48", "application/json"},
		[]string{e.SpecVersion(), e.ID(), e.Source(), e.Type(), e.Subject(), e.DataContentType()})
	require.Equal(t, time.Date(2026, 11, 30, 9, 30, 0, 0, time.UTC), e.Time())
	// printf plan | sha256sum
	require.JSONEq(t, `{
		"run_id": "acme/weekly-2026-w48", "tenant": "acme", "business_id": "weekly-2026-w48", "requester": "ann.wu",
		"request_id": "01JDXYZ", "plan_hash": "sha256:64879f7d6b960a01909762d911a32d4582c20010c5641ee90278b644a9e3b525",
		"risk": "high", "actions": 3, "people": ["bo.lin", "cy.ma"], "needs": "2 of editors", "waiting": ["open-order"],
		"until": "2026-12-01T10:00:00Z", "command": "approver show acme/weekly-2026-w48"}`, string(e.Data()))
}

func TestEveryEventIsAValidCloudEvent(t *testing.T) {
	for _, name := range allEvents() {
		for _, n := range append(samples(name), hostile()) {
			n.Event, n.Key = name, theKey
			raw, err := envelope(n)
			require.NoError(t, err)
			var e cloudevents.Event
			require.NoError(t, e.UnmarshalJSON(raw), string(raw))
			require.NoError(t, e.Validate(), string(raw))
			require.Equal(t, "holdpoint."+string(name), e.Type())
		}
	}
}

func TestHostileTextsStayData(t *testing.T) {
	raw, err := envelope(hostile())
	require.NoError(t, err)
	var e cloudevents.Event
	require.NoError(t, e.UnmarshalJSON(raw))
	require.Equal(t, `/holdpoint/a%2F..%2Fb%3Fx=1%23`, e.Source())
	require.Equal(t, `acme/x\u{000D}\u{000A}Bcc: eve@example.com\u{202E}`, e.Subject())
	var data struct {
		BusinessID string `json:"business_id"`
	}
	require.NoError(t, e.DataAs(&data))
	require.Equal(t, strings.ToValidUTF8(hostile().BusinessID, "\uFFFD"), data.BusinessID, "a machine gets it as JSON can carry it")
}

// A resend is the same message: only the time of the attempt is another, and
// what is signed with it.
func TestTwoSendsOfANoticeAreOneMessage(t *testing.T) {
	r := newReceiver(t, status(http.StatusServiceUnavailable))
	c := hook(t, r.URL)
	w, ok := c.byName[0].sender.(*webhook)
	require.True(t, ok)
	first, err := w.request(notice(), time.Unix(1_764_000_000, 0))
	require.NoError(t, err)
	second, err := w.request(notice(), time.Unix(1_764_000_060, 0))
	require.NoError(t, err)
	require.Equal(t, "1764000000", first.Header.Get("Webhook-Timestamp"))
	require.Equal(t, "1764000060", second.Header.Get("Webhook-Timestamp"))
	require.NotEqual(t, first.Header.Get("Webhook-Signature"), second.Header.Get("Webhook-Signature"))
	for _, name := range []string{"Webhook-Timestamp", "Webhook-Signature"} {
		first.Header.Del(name)
		second.Header.Del(name)
	}
	require.Equal(t, first.Header, second.Header)

	for range 2 {
		_, err := send(c, notice())
		requireFault(t, err, faults.Transient, "http_503")
	}
	got := r.got()
	require.Len(t, got, 2)
	require.Equal(t, got[0].body, got[1].body)
	require.Equal(t, got[0].header.Get("Webhook-Id"), got[1].header.Get("Webhook-Id"))
}

func TestWhatAnAnswerMeans(t *testing.T) {
	elsewhere := newReceiver(t, status(http.StatusOK))
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		class  faults.Class
		code   string // "": taken
		after  time.Duration
	}{
		"200": {answer: status(200)},
		"201": {answer: status(201)},
		"202": {answer: status(202)},
		"204": {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }},
		"299": {answer: status(299)},

		"301": {answer: status(301, "Location", elsewhere.URL), class: faults.Permanent, code: "redirected"},
		"303": {answer: status(303, "Location", elsewhere.URL), class: faults.Permanent, code: "redirected"},
		"307": {answer: status(307, "Location", elsewhere.URL), class: faults.Permanent, code: "redirected"},
		"308": {answer: status(308, "Location", elsewhere.URL), class: faults.Permanent, code: "redirected"},

		"400":                        {answer: status(400), class: faults.Permanent, code: "http_400"},
		"401":                        {answer: status(401), class: faults.Permanent, code: "http_401"},
		"404":                        {answer: status(404), class: faults.Permanent, code: "http_404"},
		"409":                        {answer: status(409), class: faults.Permanent, code: "http_409"},
		"410":                        {answer: status(410), class: faults.Permanent, code: "http_410"},
		"410 that asks to wait":      {answer: status(410, "Retry-After", "9"), class: faults.Permanent, code: "http_410"},
		"422":                        {answer: status(422), class: faults.Permanent, code: "http_422"},
		"408":                        {answer: status(408), class: faults.Transient, code: "http_408"},
		"425":                        {answer: status(425), class: faults.Transient, code: "http_425"},
		"429":                        {answer: status(429), class: faults.Throttled, code: "http_429"},
		"429 in seconds":             {answer: status(429, "Retry-After", "7"), class: faults.Throttled, code: "http_429", after: 7 * time.Second},
		"429 at a date":              {answer: status(429, "Date", "Mon, 30 Nov 2026 12:00:00 GMT", "Retry-After", "Mon, 30 Nov 2026 12:01:30 GMT"), class: faults.Throttled, code: "http_429", after: 90 * time.Second},
		"500":                        {answer: status(500), class: faults.Transient, code: "http_500"},
		"502":                        {answer: status(502), class: faults.Transient, code: "http_502"},
		"503":                        {answer: status(503), class: faults.Transient, code: "http_503"},
		"503 in seconds":             {answer: status(503, "Retry-After", "120"), class: faults.Throttled, code: "http_503", after: 2 * time.Minute},
		"504":                        {answer: status(504), class: faults.Transient, code: "http_504"},
		"a status that nobody knows": {answer: status(599), class: faults.Transient, code: "http_599"},
		"an answer without an end":   {answer: endless},
		"headers without an end": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 2*maxHeaderBytes))
		}, class: faults.Unknown, code: "no_answer"},
		"hung up": {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, class: faults.Unknown, code: "no_answer"},
		"a connection that it upgrades": {answer: func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Write([]byte("SSH-2.0-OpenSSH_9.2\r\n"))
				conn.Close()
			}
		}, class: faults.Unknown, code: "no_answer"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t, tt.answer)
			answer, err := send(hook(t, r.URL+"/PATH?q=QUERY"), notice())
			require.Len(t, r.got(), 1, "once, whatever the answer")
			require.Empty(t, elsewhere.got(), "a notice is sent nowhere else")
			if tt.code == "" {
				require.NoError(t, err)
				require.Len(t, answer, 3)
				return
			}
			f := requireFault(t, err, tt.class, tt.code)
			require.Equal(t, tt.after, f.RetryAfter)
			require.Contains(t, f.Reason, strings.TrimPrefix(r.URL, "http://"))
			requireNoSecret(t, f)
		})
	}
}

// requireNoSecret wants a fault without anything that would let its reader
// write to the receiver.
func requireNoSecret(t *testing.T, f *faults.Fault) {
	t.Helper()
	for _, part := range []string{"PATH", "QUERY", "USER", strings.TrimPrefix(theSecret, "whsec_"), "whatever", "v1,"} {
		require.NotContains(t, f.Error(), part)
	}
}

// endless is an answer whose body never ends: its status has said all.
func endless(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 64<<10)); err != nil {
			return
		}
	}
}

func TestAnswersThatGetLost(t *testing.T) {
	const sent = `"specversion":"1.0"`
	for name, tt := range map[string]struct {
		fail  func(*kindtest.Link)
		class faults.Class
		code  string
		got   int
	}{
		"cut off":       {func(l *kindtest.Link) { l.CutAnswers(sent) }, faults.Unknown, "no_answer", 1},
		"reset":         {func(l *kindtest.Link) { l.ResetAnswers(sent) }, faults.Unknown, "no_answer", 1},
		"silence":       {func(l *kindtest.Link) { l.LoseAnswers(sent) }, faults.Unknown, "no_answer", 1},
		"no connection": {func(l *kindtest.Link) { l.Down() }, faults.Transient, "dial_failed", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t, status(http.StatusOK))
			link := kindtest.NewLink(t, strings.TrimPrefix(r.URL, "http://"))
			tt.fail(link)
			c := hook(t, "http://"+link.Addr()+"/PATH?q=QUERY")
			c.byName[0].timeout = 300 * time.Millisecond
			_, err := send(c, notice())
			requireNoSecret(t, requireFault(t, err, tt.class, tt.code))
			require.Len(t, r.got(), tt.got)
		})
	}
}

func TestAStoppedCallSaysWhetherTheNoticeWasSent(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	r := newReceiver(t, func(_ http.ResponseWriter, request *http.Request) {
		stop()
		<-request.Context().Done()
	})
	c := hook(t, r.URL)
	_, err := c.Send(ctx, notice())
	f := requireFault(t, err, faults.Unknown, "no_answer")
	require.Contains(t, f.Reason, "stopped")
	_, err = c.Send(ctx, notice())
	requireFault(t, err, faults.Transient, faults.CodeInterrupted)
	require.Len(t, r.got(), 1)
}

func TestAReceiverThatIsNotTrusted(t *testing.T) {
	secure := httptest.NewTLSServer(status(http.StatusOK))
	t.Cleanup(secure.Close)
	secure.Config.ErrorLog = nil
	inClear := newReceiver(t, status(http.StatusOK))

	_, err := send(hook(t, secure.URL), notice())
	requireFault(t, err, faults.Permanent, "bad_certificate")
	_, err = send(hook(t, strings.Replace(inClear.URL, "http:", "https:", 1)), notice())
	requireFault(t, err, faults.Permanent, "no_tls")
	require.Empty(t, inClear.got())

	file := filepath.Join(t.TempDir(), "ca.pem")
	raw := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	require.NoError(t, os.WriteFile(file, raw, 0o600))
	answer, err := send(hook(t, secure.URL, "ca_file: "+file), notice())
	require.NoError(t, err)
	require.Equal(t, "200", answer)
}

// A URL that is a secret is looked at when it is used, by the same rules.
func TestURLsThatAreRefusedWhenTheyAreUsed(t *testing.T) {
	for text, says := range map[string]string{
		"http://hooks.example.com/PATH":        "must begin with https",
		"http://10.0.0.1/PATH":                 "must begin with https",
		"http://127.0.0.1.example.com/PATH":    "must begin with https",
		"https://USER:x@hooks.example.com/":    "neither credentials nor a fragment",
		"https://hooks.example.com/#QUERY":     "neither credentials nor a fragment",
		"ftp://hooks.example.com/PATH":         "must be an https URL",
		"hooks.example.com/PATH":               "must be an https URL",
		"https:///PATH":                        "must be an https URL",
		"https://hooks.example.com:port/PATH":  "must be an https URL",
		"https://hooks.example.com/%zz/PATH":   "must be an https URL",
		"https://hooks.example.com/PATH\nHost": "must be an https URL",
	} {
		_, err := send(hook(t, text), notice())
		f := requireFault(t, err, faults.Permanent, "bad_url")
		require.Contains(t, f.Reason, says, text)
		requireNoSecret(t, f)
	}
}

func TestSignatureIsThatOfTheSpecificationsExample(t *testing.T) {
	key, err := parseSecret(theSecret)
	require.NoError(t, err)
	header := http.Header{}
	sign(header, [][]byte{key}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	// printf 'ID.TIME.BODY' | openssl dgst -sha256 -mac HMAC -macopt hexkey:… -binary | base64
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", header.Get("Webhook-Signature"))
}

// While a secret is being replaced, a receiver that knows either accepts.
func TestTwoSecretsSign(t *testing.T) {
	r := newReceiver(t, status(http.StatusOK))
	c := hook(t, r.URL)
	t.Setenv("HOOK_SECRET", theSecret+"\n"+oldSecret)
	_, err := send(c, notice())
	require.NoError(t, err)
	for secret, knows := range map[string]bool{theSecret: true, oldSecret: true, "whsec_" + strings.Repeat("A", 32): false} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		require.NoError(t, err)
		err = verifier.Verify(r.got()[0].body, r.got()[0].header)
		require.Equal(t, knows, err == nil, err)
	}
}

func TestSecretsThatCannotSign(t *testing.T) {
	r := newReceiver(t, status(http.StatusOK))
	c := hook(t, r.URL)
	for secret, code := range map[string]string{
		"":                                       "transient secret_missing",
		" ":                                      "transient secret_missing",
		"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw":       "permanent bad_secret",
		"whsec_":                                 "permanent bad_secret",
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa==": "permanent bad_secret", // 22 bytes
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-": "permanent bad_secret", // URL's base64
		"whsec_" + strings.Repeat("QUJD", 22):    "permanent bad_secret", // 66 bytes
		theSecret + " MfKQ9r8GKYqrTwjUPD8ILPZIo2La": "permanent bad_secret",
	} {
		t.Setenv("HOOK_SECRET", secret)
		_, err := send(c, notice())
		f, ok := err.(*faults.Fault) //nolint:errorlint // a fault and nothing around it
		require.True(t, ok, secret)
		require.Equal(t, code, f.Class.String()+" "+f.Code, secret)
		require.NotContains(t, f.Error(), "MfKQ9r8G")
	}
	require.NoError(t, os.Unsetenv("HOOK_URL"))
	t.Setenv("HOOK_SECRET", theSecret)
	_, err := send(c, notice())
	require.Contains(t, requireFault(t, err, faults.Transient, faults.CodeSecretMissing).Reason, "HOOK_URL is not set")
	require.Empty(t, r.got())
}

func TestTargetShowsNoSecret(t *testing.T) {
	for written, want := range map[string]string{
		"https://hooks.example.com/PATH?q=QUERY":       "https://hooks.example.com",
		"https://hooks.example.com?q=QUERY":            "https://hooks.example.com",
		"https://hooks.example.com:8443":               "https://hooks.example.com:8443",
		"https://hooks.example.com/PATH/${env:TOKEN}":  "https://hooks.example.com",
		"https://USER:${env:TOKEN}@hooks.example.com/": "https://hooks.example.com",
		"${env:HOOK}":      "${env:HOOK}",
		"${env:HOOK}/PATH": "${env:HOOK}",
	} {
		t.Setenv("TOKEN", "QUERY")
		w := webhook{}
		require.NoError(t, w.URL.UnmarshalYAML(&yaml.Node{Kind: yaml.ScalarNode, Value: written}))
		require.Equal(t, want, w.target())
	}
}

// The key is in a header and in what is signed, so it is checked.
func TestKeysThatCannotBeCarried(t *testing.T) {
	r := newReceiver(t, status(http.StatusOK))
	c := hook(t, r.URL)
	for _, key := range []string{"", "a.b", "a b", "a\r\nX: y", "a@b", "钥匙", strings.Repeat("a", 129)} {
		n := notice()
		n.Key = key
		_, err := send(c, n)
		requireFault(t, err, faults.Permanent, "bad_notice")
	}
	require.Empty(t, r.got())
}

// hostile is a notice whose texts want to be something else.
func hostile() workflows.Notice {
	n := notice()
	n.Tenant = "a/../b?x=1#"
	n.RunID = "acme/x\r\nBcc: eve@example.com\u202e"
	n.BusinessID = "x\r\nBcc: eve@example.com\r\n\r\n<b>\u202e\u200b\x1b]0;owned\a{{.Key}}\xff"
	n.Requester = "ann\nSubject: paid"
	n.People = []string{"bo\u2028lin", "cy\x00ma"}
	n.Needs = "2 of \u2066editors"
	n.Waiting = []string{"a\tb"}
	n.Command = "approver show 'x\ny'"
	return n
}
