package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/internal/targets/smtpserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// event is what a webhook's receiver read of a CloudEvent.
type event struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Data struct {
		RunID   string   `json:"run_id"`
		People  []string `json:"people"`
		Waiting []string `json:"waiting"`
		Command string   `json:"command"`
	} `json:"data"`
}

// pager is a receiver of webhooks, which verifies before it parses.
type pager struct {
	*httptest.Server

	mu     sync.Mutex
	events []event
	forged int
}

func newPager(t *testing.T, secret []byte) *pager {
	t.Helper()
	p := &pager{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		mac := hmac.New(sha256.New, secret)
		io.WriteString(mac, r.Header.Get("Webhook-Id")+"."+r.Header.Get("Webhook-Timestamp")+"."+string(body))
		var e event
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.Header.Get("Webhook-Signature") != "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)) || json.Unmarshal(body, &e) != nil {
			p.forged++
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		p.events = append(p.events, e)
	}))
	t.Cleanup(p.Close)
	return p
}

// A run that waits for its approval, for a word about one action, and for what
// nobody knows, tells so each time: the pager by webhook, and the editors by a
// mail that lies in their box once.
func TestPeopleAreToldByWebhookAndMail(t *testing.T) {
	s := newSite(t, nil)
	secret := []byte("the secret of the pager, 32 long")
	pager, post := newPager(t, secret), smtpserver.Start(t, smtpserver.Options{})
	s.write("pager.secret", "whsec_"+base64.StdEncoding.EncodeToString(secret))
	server := s.shop("once", `
notify:
  pager: {webhook: {url: "`+pager.URL+`", allow_http: true, secret: "${file:pager.secret}"}}
  editors: {mail: {address: "`+post.Address()+`", tls: none, from: holdpoint@example.com, to: [editors@example.com]}}
`)
	s.write("policy.yaml", "label: words\ngroups: {approvers: {members: [bo.lin, cy.ma]}}\n"+
		"default: {quorums: [1 of approvers], decide_within: 1h, grant_life: 1h}\n"+
		"rules: [{name: last, match: parameters.number == \"3\", confirm: true}]\n")
	server.Script(scripted.Answer{Ending: scripted.Reset}) // the effect of order is made, and the answer lost
	s.worker()
	run := s.order()
	s.await(run, workflows.WaitingResolution)
	s.approver("resolve", run, "order", "happened", "--as", "bo.lin", "--evidence", "order-1 is in the shop")
	s.await(run, workflows.WaitingApproval)
	s.approver("approve", run, "--action", "after", "--as", "cy.ma", "--yes")
	done := s.await(run, workflows.Completed)
	require.Equal(t, 3, server.All())

	require.Len(t, done.Notices, 6, "three events to two channels")
	keys := map[string]string{} // of the pager's notices, by event
	for _, n := range done.Notices {
		require.Equal(t, workflows.StepCompleted, n.Status, "%s to %s: %s", n.Event, n.Channel, n.Error)
		if n.Channel == "pager" {
			keys["holdpoint."+string(n.Event)] = n.Key
			continue
		}
		mails, err := post.Mails(t.Context(), n.Key+"@example.com")
		require.NoError(t, err)
		require.Len(t, mails, 1, n.Event)
		require.Contains(t, string(mails[0]), "orders")
	}
	pager.mu.Lock()
	defer pager.mu.Unlock()
	require.Zero(t, pager.forged)
	require.Len(t, pager.events, 3)
	for i, want := range []struct {
		event   workflows.Event
		waiting []string
		command string
	}{
		{workflows.ApprovalRequested, nil, "approver show " + run},
		{workflows.ResolutionNeeded, []string{"order"}, "starter status " + run},
		{workflows.ConfirmationRequested, []string{"after"}, "approver show " + run},
	} {
		got := pager.events[i]
		require.Equal(t, "holdpoint."+string(want.event), got.Type)
		require.Equal(t, keys[got.Type], got.ID)
		require.Equal(t, run, got.Data.RunID)
		require.Equal(t, []string{"bo.lin", "cy.ma"}, got.Data.People)
		require.Equal(t, want.waiting, got.Data.Waiting)
		require.Equal(t, want.command, got.Data.Command)
	}
}
