package postgres_test

import (
	"testing"

	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// commit is the message by which pgx commits: a simple query of 11 bytes.
const commit = "Q\x00\x00\x00\x0bcommit\x00"

func TestMatrix(t *testing.T) {
	kindtest.Matrix(t, func(t *testing.T) kindtest.Subject {
		o := newOrders(t)
		link := kindtest.NewLink(t, o.address())
		return kindtest.Subject{
			Tool: open(t, quick(declaration(o.through(link.Addr()), insert))), Link: link, Sent: commit, TellsPayload: true,
			Action: func(key string, payload int) plan.Action {
				return call(key, []string{"", "one", "two"}[payload]).Action
			},
			Effects: func(_ testing.TB, key string) int { return o.count(key) },
		}
	})
}
