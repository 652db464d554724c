package object

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
)

// subject is a world for the matrix: each key has an object of its own. The
// plans are made by another worker, for whom the store is never away.
func (w *world) subject(link *kindtest.Link, planner *world) kindtest.Subject {
	preconditions := map[string]string{}
	return kindtest.Subject{
		Tool: w.tool, Link: link, Sent: "Holdpoint-Key", TellsPayload: true,
		Action: func(key string, payload int) plan.Action {
			if _, known := preconditions[key]; !known {
				preconditions[key] = absent
				if w.mode == replace {
					preconditions[key] = planner.before(key)
				}
			}
			raw, err := json.Marshal(map[string]any{"name": key, "text": []string{"", "one\n", "two\n"}[payload]})
			require.NoError(w.t, err)
			return plan.Action{
				ID: "object-1", Tool: "save_report", Target: "reports/" + key, IdempotencyKey: key,
				Parameters: raw, Precondition: preconditions[key], DeliveryClass: plan.Conditional,
			}
		},
		Effects: func(_ testing.TB, key string) int { return w.writes(key) },
	}
}

// before puts an object there that is to be replaced, and returns its state.
func (w *world) before(key string) string {
	w.t.Helper()
	w.put("weekly/"+key+".txt", "before\n")
	prepared, err := w.prepare(map[string]any{"name": key, "text": "after\n"})
	require.NoError(w.t, err)
	return prepared.Precondition
}

func TestMatrix(t *testing.T) {
	for _, mode := range both() {
		t.Run("S3 "+mode, func(t *testing.T) {
			server := objectserver.Start(t, objectserver.Options{Buckets: []string{bucketA}})
			kindtest.Matrix(t, func(t *testing.T) kindtest.Subject {
				link := kindtest.NewLink(t, server.Address())
				return s3Through(t, mode, server, "http://"+link.Addr()).subject(link, s3Through(t, mode, server, server.URL()))
			})
		})
		t.Run("file "+mode, func(t *testing.T) {
			kindtest.Matrix(t, func(t *testing.T) kindtest.Subject {
				w, _ := fileWorld(t, mode)
				return w.subject(nil, w)
			})
		})
	}
}
