package httpapi_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
)

func TestRedirectOfAWriteIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		elsewhere := serve(t, scripted.Options{})
		server := serve(t, scripted.Options{})
		answer := scripted.Refusal(status, "{}")
		answer.Header = map[string]string{"Location": elsewhere.URL + "/orders"}
		server.Always(answer)
		s := newScene(t, open(t, server, onceOrders), "week-48", "A-1")
		_, err := s.retried()
		require.Error(t, err)
		require.NotContains(t, err.Error(), elsewhere.Address)
		require.Len(t, server.Writes(), 1)
		require.Empty(t, server.Reads())
		require.Empty(t, elsewhere.Writes())
		require.Empty(t, elsewhere.Reads())
	}
}

func TestARedirectThatMeansDoneCanBeDeclared(t *testing.T) {
	server := serve(t, scripted.Options{})
	server.Script(scripted.Answer{Status: 303, Header: map[string]string{"Location": "/orders/1"}})
	s := newScene(t, open(t, server, strings.Replace(onceOrders, "{ref: body.id}", `{ref: "headers['location']"}`, 1)+`
  success: [303]
`), "week-48", "A-1")
	out, err := s.attempt()
	require.NoError(t, err)
	require.Equal(t, "/orders/1", out.Receipt.Ref)
	require.Empty(t, server.Reads())
}

func TestConnectionRefusedIsTriedAgain(t *testing.T) {
	server := keyed(t)
	tool := open(t, server, keyedOrders)
	s := newScene(t, tool, "week-48", "A-1")
	require.NoError(t, server.Close())
	for range 3 {
		_, err := s.attempt()
		fault := requireFault(t, err, faults.Transient, "dial_failed")
		require.Equal(t, server.Address+": the connection was refused; nothing was sent", fault.Reason)
	}
	again, err := scripted.Start(scripted.Options{KeyHeader: "Idempotency-Key", Address: server.Address})
	require.NoError(t, err)
	defer again.Close()
	_, err = s.retried()
	require.NoError(t, err)
	require.Equal(t, 1, again.All())
}

func TestSecretsAreReadAfreshAndStayOut(t *testing.T) {
	const name = "HOLDPOINT_TEST_TOKEN"
	server := keyed(t)
	s := newScene(t, open(t, server, keyedOrders+`
  auth: {bearer: "${env:HOLDPOINT_TEST_TOKEN}"}
  headers: {X-Tenant: "${env:HOLDPOINT_TEST_TENANT}", X-Run: "{{run_id}}"}
`), "week-48", "A-1")
	t.Setenv("HOLDPOINT_TEST_TENANT", "acme")

	_, err := s.attempt()
	fault := requireFault(t, err, faults.Transient, faults.CodeSecretMissing)
	require.True(t, fault.Waits)
	require.Contains(t, fault.Reason, name)
	require.Empty(t, server.Writes())

	t.Setenv(name, "TOKEN-SECRET\n")
	_, err = s.attempt()
	requireFault(t, err, faults.Permanent, "bad_request")
	require.NotContains(t, err.Error(), "SECRET")
	require.Empty(t, server.Writes())

	server.Script(scripted.Refusal(503, "{}"))
	for _, token := range []string{"TOKEN-SECRET-1", "TOKEN-SECRET-2"} {
		t.Setenv(name, token)
		_, err = s.attempt()
	}
	require.NoError(t, err)
	writes := server.Writes()
	require.Len(t, writes, 2)
	require.Equal(t, "Bearer TOKEN-SECRET-1", writes[0].Header.Get("Authorization"))
	require.Equal(t, "Bearer TOKEN-SECRET-2", writes[1].Header.Get("Authorization"))
	require.Equal(t, "acme", writes[1].Header.Get("X-Tenant"))
	require.Equal(t, "acme/week-48", writes[1].Header.Get("X-Run"))
	require.NotContains(t, s.action.Preview, "SECRET")
}

func TestLookupRedirects(t *testing.T) {
	t.Setenv("HOLDPOINT_TEST_TOKEN", "TOKEN-SECRET")
	elsewhere := serve(t, scripted.Options{})
	server := newRedirector(t)
	declaration := strings.NewReplacer("URL/orders?", server.url+"/find?", "ADDRESS", server.address, "URL", server.url).Replace(foundOrders) + `
  auth: {bearer: "${env:HOLDPOINT_TEST_TOKEN}"}
`
	tool := open(t, nil, declaration).(tools.Finder)
	s := newScene(t, tool, "week-48", "A-1")

	t.Run("to another host: refused, and nothing is sent there", func(t *testing.T) {
		server.to.Store(elsewhere.URL + "/orders")
		_, err := tool.Find(t.Context(), s.call())
		requireFault(t, err, faults.Permanent, "redirected")
		require.Empty(t, elsewhere.Reads())
	})
	t.Run("on the same host: followed, with its credentials", func(t *testing.T) {
		server.to.Store("/orders")
		found, err := tool.Find(t.Context(), s.call())
		require.NoError(t, err)
		require.Equal(t, tools.Found, found.Presence)
		require.Equal(t, "order-9", found.Receipt.Ref)
		require.Equal(t, "Bearer TOKEN-SECRET", server.authorized.Load())
	})
	t.Run("without end", func(t *testing.T) {
		server.to.Store("/find")
		before := server.requests.Load()
		_, err := tool.Find(t.Context(), s.call())
		requireFault(t, err, faults.Permanent, "redirected")
		require.EqualValues(t, 6, server.requests.Load()-before)
	})
}

// redirector redirects /find, and answers /orders as a search.
type redirector struct {
	address, url string
	to           atomic.Value
	authorized   atomic.Value
	requests     atomic.Int64
}

func newRedirector(t *testing.T) *redirector {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &redirector{address: l.Addr().String(), url: "http://" + l.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("/find", func(w http.ResponseWriter, _ *http.Request) {
		s.requests.Add(1)
		w.Header().Set("Location", s.to.Load().(string))
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/orders", func(w http.ResponseWriter, r *http.Request) {
		s.authorized.Store(r.Header.Get("Authorization"))
		io.WriteString(w, `{"items":[{"id":"order-9"}]}`)
	})
	server := &http.Server{Handler: mux}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return s
}

func TestAnswerOverTheLimitIsNoAnswer(t *testing.T) {
	for _, status := range []int{201, 400} {
		server := serve(t, scripted.Options{})
		server.Script(scripted.Answer{Status: status, Body: `{"padding":"` + strings.Repeat("x", 100) + `"}`})
		s := newScene(t, open(t, server, replace(onceOrders, "{ref: body.id}", "{ref: key}")+"  max_response_bytes: 100\n"), "week-48", "A-1")
		_, err := s.tool.Apply(t.Context(), s.call())
		requireFault(t, err, faults.Unknown, "answer_too_large")
	}
}

func TestCredentialsStayOnTheirHost(t *testing.T) {
	t.Setenv("HOLDPOINT_TEST_TOKEN", "TOKEN-SECRET")
	t.Setenv("HOLDPOINT_TEST_SEARCH", "SEARCH-SECRET")
	server, elsewhere := serve(t, scripted.Options{}), serve(t, scripted.Options{})
	ask := func(t *testing.T, url, own string) string {
		t.Helper()
		declaration := strings.NewReplacer(`["ADDRESS"]`, `["`+server.Address+`", "`+elsewhere.Address+`"]`,
			"URL/orders?reference={{key}}", url+"/orders?reference={{key}}"+own, "URL", server.URL).Replace(foundOrders)
		tool := open(t, nil, declaration+"  auth: {header: {name: X-Api-Key, value: \"${env:HOLDPOINT_TEST_TOKEN}\"}}\n")
		_, err := tool.(tools.Finder).Find(t.Context(), newScene(t, tool, "week-48", "A-1").call())
		require.NoError(t, err)
		reads := append(elsewhere.Reads(), server.Reads()...)
		return reads[len(reads)-1].Header.Get("X-Api-Key")
	}
	require.Equal(t, "TOKEN-SECRET", ask(t, server.URL, ""))
	own := "\n    auth: {header: {name: X-Api-Key, value: \"${env:HOLDPOINT_TEST_SEARCH}\"}}"
	require.Equal(t, "SEARCH-SECRET", ask(t, server.URL, own))

	ask(t, elsewhere.URL, "")
	reads := elsewhere.Reads()
	require.Empty(t, reads[0].Header.Get("X-Api-Key"))
	ask(t, elsewhere.URL, own)
	require.Equal(t, "SEARCH-SECRET", elsewhere.Reads()[1].Header.Get("X-Api-Key"))
}
