package notify

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
	"github.com/holdpoint/holdpoint/workflows"
)

const (
	theKey = "5aa624e1059045bb634147f4e2b0973cef577656"
	// theSecret is that of the examples of Standard Webhooks: 24 bytes.
	theSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	oldSecret = "whsec_b2xkLW9sZC1vbGQtb2xkLW9sZC1vbGQtb2xkLW9sZC1vbGQ="
)

// parse reads the section "notify" of a configuration.
func parse(t *testing.T, text string) (*Channels, error) {
	t.Helper()
	var file yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &file), text)
	return Parse("holdpoint.yaml", strictyaml.Field(&file, "notify"))
}

func parsed(t *testing.T, text string) *Channels {
	t.Helper()
	channels, err := parse(t, text)
	require.NoError(t, err)
	return channels
}

// hook is a configuration with the channel "oncall", a webhook.
func hook(t *testing.T, url string, more ...string) *Channels {
	t.Helper()
	t.Setenv("HOOK_URL", url)
	t.Setenv("HOOK_SECRET", theSecret)
	lines := append([]string{`url: "${env:HOOK_URL}"`, `secret: "${env:HOOK_SECRET}"`, "allow_http: true"}, more...)
	return parsed(t, "notify:\n  oncall:\n    timeout: 2s\n    webhook:\n      "+strings.Join(lines, "\n      ")+"\n")
}

// notice is one to the channel "oncall" that has everything.
func notice() workflows.Notice {
	until := time.Date(2026, 12, 1, 11, 0, 0, 0, time.FixedZone("CET", 3600))
	return workflows.Notice{
		Channel: "oncall", Key: theKey, Event: workflows.ApprovalRequested,
		At: time.Date(2026, 11, 30, 9, 30, 0, 0, time.UTC), RunID: "acme/weekly-2026-w48", Tenant: "acme",
		BusinessID: "weekly-2026-w48", Requester: "ann.wu", RequestID: "01JDXYZ", PlanHash: plan.Sum([]byte("plan")),
		Risk: plan.HighRisk, Actions: 3, People: []string{"bo.lin", "cy.ma"}, Needs: "2 of editors",
		Waiting: []string{"open-order"}, Until: &until, Command: "approver show acme/weekly-2026-w48",
	}
}

func requireFault(t *testing.T, err error, class faults.Class, code string) *faults.Fault {
	t.Helper()
	var f *faults.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, class.String()+" "+code, f.Class.String()+" "+f.Code, f.Reason)
	return f
}

// received is a request as a receiver got it.
type received struct {
	method, path string
	header       http.Header
	body         []byte
}

// receiver is an HTTP server that keeps what it gets, and answers as it is
// told.
type receiver struct {
	*httptest.Server

	mu       sync.Mutex
	answer   http.HandlerFunc
	requests []received
}

func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.requests = append(r.requests, received{request.Method, request.URL.Path, request.Header, body})
	answer := r.answer
	r.mu.Unlock()
	answer(w, request)
}

func (r *receiver) got() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.requests...)
}

// status answers with a status and headers, given as name and value in turn.
func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, "whatever")
	}
}

func send(c *Channels, n workflows.Notice) (string, error) { return c.Send(context.Background(), n) }
