package postgres_test

import (
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/activities/tools/postgres"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The example in examples/tools, as it stands there.
func TestOutboxExample(t *testing.T) {
	const path = "../../../examples/tools/postgres-outbox.yaml"
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var file struct {
		Tools map[string]yaml.Node `yaml:"tools"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &file))
	declaration := file.Tools["book_order"]
	tool, err := declared.New("book_order", path, &declaration, []declared.Kind{postgres.Kind{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tool.(io.Closer).Close()) })

	o := newOrders(t)
	t.Setenv("SHOP_DSN", o.url)
	o.exec(`DROP TABLE orders`)
	o.exec(`CREATE TABLE orders (number text PRIMARY KEY, customer text NOT NULL, amount numeric NOT NULL)`)
	o.exec(`CREATE TABLE outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		message_id text NOT NULL UNIQUE, topic text NOT NULL, payload jsonb NOT NULL)`)
	o.exec(`INSERT INTO orders VALUES ('W-16', 'acme', 7)`)

	parameters := json.RawMessage(`{"number":"W-17","customer":"acme","amount":12.5}`)
	prepared, err := tool.Prepare(t.Context(), tools.Proposal{Tool: "book_order", Parameters: parameters, AllowedTarget: "shop/orders"})
	require.NoError(t, err)
	require.Contains(t, prepared.Preview, "\n$4 = 12.5\n\nnow there:\n- number: W-16\n  amount: 7\n")

	action := plan.Action{
		ID: "a1", Tool: "book_order", Target: prepared.Target, Item: prepared.Item, Parameters: prepared.Parameters, IdempotencyKey: kindtest.KeyOf("outbox"),
	}
	first, err := kindtest.Apply(t, tool, tools.Call{RunID: "acme/r", Action: action})
	require.NoError(t, err)
	require.Equal(t, "1", first.Ref)
	require.Equal(t, "order W-17, outbox row 1", first.Detail)
	again, err := kindtest.Apply(t, tool, tools.Call{RunID: "acme/r", Action: action})
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, `{"amount": 12.5, "number": "W-17", "customer": "acme"}`,
		ask[string](o, `SELECT payload::text FROM outbox WHERE message_id = $1 AND topic = 'orders.booked'`, kindtest.KeyOf("outbox")))

	// Another key, the same order: the order's own constraint refuses it, and no
	// message is left either.
	action.IdempotencyKey = kindtest.KeyOf("another")
	_, err = kindtest.Apply(t, tool, tools.Call{RunID: "acme/r", Action: action})
	kindtest.RequireFault(t, err, faults.Permanent, "sqlstate_23505")
	require.Equal(t, 1, ask[int](o, `SELECT count(*) FROM outbox`))
}
