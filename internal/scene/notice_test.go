package scene_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/scene"
	"github.com/holdpoint/holdpoint/workflows"
)

// hook is a webhook's receiver. It counts what came, by the message's id.
type hook struct {
	*httptest.Server

	mu   sync.Mutex
	seen map[string]int
}

func newHook(t *testing.T, answer func(http.ResponseWriter, *http.Request)) *hook {
	t.Helper()
	h := &hook{seen: map[string]int{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.seen[r.Header.Get("Webhook-Id")]++
		h.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) messages() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.seen)
}

// Of four channels one works, one refuses, one fails and one never answers. The
// run asks its approvers, is approved and takes effect as if all were well, and
// its status says of each what became of it.
func TestAFailingWebhookBlocksNothing(t *testing.T) {
	release := make(chan struct{})
	good := newHook(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	refusing := newHook(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	failing := newHook(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	silent := newHook(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	stage := open(t, simple, scene.Telling(map[string]string{
		"good": good.URL, "refusing": refusing.URL, "failing": failing.URL, "silent": silent.URL,
	}))
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	run.Waits()
	stage.Eventually("those who can be told are told", func() bool { return good.messages() == 1 && failing.messages() == 1 })
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
	stage.Eventually("the payment is made", func() bool { return len(stage.Bank.Effects()) == 1 })

	done := run.Completes()
	stage.Effects(1)
	rows := map[string]workflows.StepStatus{}
	for _, n := range done.Notices {
		require.Equal(t, workflows.ApprovalRequested, n.Event)
		rows[n.Channel] = n.Status
		require.Equal(t, n.Status == workflows.StepFailed, n.Error != "", n.Channel)
	}
	require.Equal(t, map[string]workflows.StepStatus{
		"good": workflows.StepCompleted, "refusing": workflows.StepFailed, "failing": workflows.StepFailed, "silent": workflows.StepFailed,
	}, rows)
	require.Equal(t, 1, good.messages())
}

// Each event tells each channel once, under a key of its own.
func TestPeopleAreTold(t *testing.T) {
	inbox := newHook(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	stage := open(t, `
label: told
groups: {approvers: {members: [bo.lin, cy.ma]}}
default: {quorums: [1 of approvers], decide_within: 3s, grant_life: 1h, remind_after: [1s]}
`, scene.Telling(map[string]string{"inbox": inbox.URL}))
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	expired := run.Expires()
	var events []workflows.Event
	for _, n := range expired.Notices {
		events = append(events, n.Event)
		require.Equal(t, workflows.StepCompleted, n.Status)
	}
	require.Equal(t, []workflows.Event{workflows.ApprovalRequested, workflows.ApprovalReminded, workflows.ApprovalExpired}, events)
	require.Equal(t, 3, inbox.messages())
	stage.Effects(0)
}
