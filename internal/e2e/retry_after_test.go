package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// busyDoor turns away the first request of each key, and says in one of several
// forms that the next one may come three seconds later.
type busyDoor struct {
	*httptest.Server
	mu    sync.Mutex
	came  map[string][]time.Time
	forms []string
}

func newBusyDoor(t *testing.T, behind http.HandlerFunc, forms ...string) *busyDoor {
	t.Helper()
	d := &busyDoor{came: map[string][]time.Time{}, forms: forms}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		key := r.Header.Get("Idempotency-Key")
		d.came[key] = append(d.came[key], time.Now())
		first, form := len(d.came[key]) == 1, d.forms[(len(d.came)-1)%len(d.forms)]
		d.mu.Unlock()
		if !first {
			behind(w, r)
			return
		}
		// A date has whole seconds: the fourth from now begins three from now at the
		// earliest.
		after := "3"
		if form != "" {
			after = time.Now().Add(4 * time.Second).UTC().Format(form)
		}
		w.Header().Set("Retry-After", after)
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(d.Close)
	return d
}

// A server that says when to come again is asked again then, and not before,
// counted at the server. RFC 9110, 10.2.3 and 5.6.7: seconds, and three forms of
// a date.
func TestC032_TheNextRequestComesWhenTheServerSays(t *testing.T) {
	t.Parallel()
	s, shop := newSite(t, nil), newShop(t, 0)
	door := newBusyDoor(t, shop.serve, "", http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC)
	s.configureTools(4, strings.ReplaceAll(shop.declaration(4), hostOf(shop.Server), hostOf(door.Server)))
	s.hands(orders(4, "as agreed")...)
	s.write("task.yaml", "tenant: "+s.name+`
business_id: throttled
goal: open the orders
requester: ann.wu
context: [{root: notes}]
tools: [{tool: open_order, target: shop}]
planner: given
`)
	s.worker()
	s.starter("start", "--task", "task.yaml", "-t", s.name)
	run := s.name + "/throttled"
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	s.await(run, workflows.Completed)

	_, made := shop.counts()
	require.Equal(t, 4, made)
	door.mu.Lock()
	defer door.mu.Unlock()
	require.Len(t, door.came, 4)
	for key, times := range door.came {
		require.Len(t, times, 2, key)
		require.GreaterOrEqual(t, times[1].Sub(times[0]), 3*time.Second, key)
	}
}

func hostOf(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }
