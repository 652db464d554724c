package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestMatrix(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		declaration string
		options     scripted.Options
		target      string
		edited      bool // a page is there before
		refine      func(*kindtest.Subject)
	}{
		{name: "keyed", declaration: keyedOrders, options: scripted.Options{KeyHeader: "Idempotency-Key"}},
		{name: "lookup", declaration: foundOrders},
		{
			name: "lookup that is not authoritative", declaration: replace(foundOrders, "authoritative: true", "authoritative: false"),
			refine: func(s *kindtest.Subject) { s.NotAuthoritative = true },
		},
		{name: "once", declaration: onceOrders},
		{name: "create_only", declaration: pages + createOnly},
		{name: "if_match", declaration: pages + ifMatch, edited: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // they wait most of the time
			kindtest.Matrix(t, func(t *testing.T) kindtest.Subject {
				server := serve(t, tt.options)
				if tt.edited {
					server.Edit("home", "old text")
				}
				link := kindtest.NewLink(t, server.Address)
				declaration := strings.NewReplacer("ADDRESS", link.Addr(), "URL", "http://"+link.Addr(), `item: "{{params.number}}"`, "item: one").
					Replace(quick(tt.declaration))
				tool := open(t, nil, declaration)
				subject := kindtest.Subject{
					Tool: tool, Link: link, Sent: `"}`,
					Action: func(key string, payload int) plan.Action { return orderAction(t, key, payload) },
					Effects: func(_ testing.TB, key string) int {
						_, writes := server.Page("home", key)
						return server.Effects(key) + writes
					},
				}
				if tt.refine != nil {
					tt.refine(&subject)
				}
				return subject
			})
		})
	}
}

// orderAction is one for all payloads of a key, as the plan would
// have it.
func orderAction(t *testing.T, key string, payload int) plan.Action {
	t.Helper()
	parameters, err := json.Marshal(map[string]string{"number": string(rune('0' + payload))})
	require.NoError(t, err)
	precondition := ""
	if strings.Contains(t.Name(), "if_match") {
		precondition = `"v1"`
	}
	return plan.Action{
		ID: "a1", Tool: "orders", Target: "shop/orders", Item: "one", Parameters: parameters, SemanticVersion: "v1",
		IdempotencyKey: key, Precondition: precondition,
	}
}

func replace(s, old, with string) string { return strings.ReplaceAll(s, old, with) }
