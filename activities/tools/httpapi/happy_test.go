package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
)

func TestOrderIsMade(t *testing.T) {
	server := serve(t, scripted.Options{KeyHeader: "Idempotency-Key"})
	s := newScene(t, open(t, server, keyedOrders), "week-48", "A 1")

	out, err := s.retried()
	require.NoError(t, err)
	require.Equal(t, "order-1", out.Receipt.Ref)
	require.Equal(t, "order A 1", out.Receipt.Detail)
	require.Equal(t, s.action.IdempotencyKey, out.Receipt.IdempotencyKey)

	writes := server.Writes()
	require.Len(t, writes, 1)
	require.Equal(t, "POST", writes[0].Method)
	require.Equal(t, "/orders", writes[0].URI)
	require.Equal(t, `{"number":"A 1"}`, writes[0].Body)
	require.Equal(t, "application/json", writes[0].Header.Get("Content-Type"))
	require.Equal(t, `"`+s.action.IdempotencyKey+`"`, writes[0].Header.Get("Idempotency-Key"), "a String of RFC 9651")
	require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
}

func TestPreviewShowsTheRequest(t *testing.T) {
	server := serve(t, scripted.Options{})
	tool := open(t, server, keyedOrders+`
  auth: {bearer: "${env:HOLDPOINT_TEST_TOKEN}"}
`)
	s := newScene(t, tool, "week-48", "A<1>")
	require.Equal(t, `POST `+server.URL+`/orders
Authorization: Bearer ${env:HOLDPOINT_TEST_TOKEN}
Content-Type: application/json
Idempotency-Key: "<idempotency key>"
User-Agent: holdpoint

{
  "number": "A<1>"
}
`, s.action.Preview)
	require.Empty(t, server.Writes(), "a preview writes nothing")
}
