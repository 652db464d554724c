package postgres_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/activities/tools/postgres"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/pgtest"
)

var (
	cluster pgtest.Shared
	// shared is a database for all tests, each with a schema of its own: making
	// a database takes longer than most tests.
	shared struct {
		sync.Once
		url     string
		schemas int
	}
)

func TestMain(m *testing.M) {
	code := cluster.Run(m)
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

const (
	patience = 20 * time.Second
	tick     = 10 * time.Millisecond
)

// orders is a schema with a table of orders, the receipts table, and a
// connection of its own that looks at them.
type orders struct {
	tb   testing.TB
	url  string
	conn *pgx.Conn
}

func newOrders(tb testing.TB) *orders {
	tb.Helper()
	server := cluster.Server(tb)
	shared.Do(func() { shared.url = server.NewDatabase(tb) })
	shared.schemas++
	schema := fmt.Sprintf("s%d", shared.schemas)
	o := &orders{tb: tb, url: shared.url + "&search_path=" + schema}
	o.connect()
	o.exec(`CREATE SCHEMA ` + schema)
	require.NoError(tb, postgres.Migrate(context.Background(), o.url))
	o.exec(`CREATE TABLE orders (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		key text NOT NULL, number text NOT NULL, note text, amount numeric CONSTRAINT orders_amount_positive CHECK (amount > 0))`)
	return o
}

func (o *orders) connect() {
	o.tb.Helper()
	var err error
	o.conn, err = pgx.Connect(context.Background(), o.url)
	require.NoError(o.tb, err)
	o.tb.Cleanup(func() { o.conn.Close(context.Background()) })
}

func (o *orders) exec(statement string, arguments ...any) {
	o.tb.Helper()
	_, err := o.conn.Exec(context.Background(), statement, arguments...)
	require.NoError(o.tb, err)
}

func ask[T any](o *orders, query string, arguments ...any) T {
	o.tb.Helper()
	var answer T
	require.NoError(o.tb, o.conn.QueryRow(context.Background(), query, arguments...).Scan(&answer))
	return answer
}

// count is how many orders a key has made.
func (o *orders) count(key string) int {
	o.tb.Helper()
	return ask[int](o, `SELECT count(*) FROM orders WHERE key = $1`, key)
}

func (o *orders) receipts() int {
	o.tb.Helper()
	return ask[int](o, `SELECT count(*) FROM holdpoint_receipts`)
}

// through is the database's URL by way of another address.
func (o *orders) through(address string) string {
	o.tb.Helper()
	u, err := url.Parse(o.url)
	require.NoError(o.tb, err)
	u.Host = address
	return u.String()
}

func (o *orders) address() string {
	o.tb.Helper()
	u, err := url.Parse(o.url)
	require.NoError(o.tb, err)
	return net.JoinHostPort(u.Hostname(), u.Port())
}

// insert is a declaration's statement and arguments for one new order.
const insert = `statement: INSERT INTO orders (key, number, note, amount) VALUES ($1, $2, $3, $4) RETURNING id, number
  arguments: ["{{key}}", "{{params.number}}", "{{params.note}}", "{{params.amount}}"]
  receipt: {ref: row.id, detail: "'order ' + row.number"}`

// declaration of a tool that books orders; settings stand under postgres.
func declaration(dsn string, settings ...string) string {
	return fmt.Sprintf(`
version: "1"
kind: postgres
class: transactional
risk: medium
call_timeout: 10s
schema:
  type: object
  required: [number]
  properties:
    number: {type: string}
    note: {type: [string, "null"]}
    amount: {type: number}
    labels: {type: array}
    extra: {}
target: "shop/orders"
item: "{{params.number}}"
postgres:
  dsn: "%s"
  %s
`, dsn, strings.Join(settings, "\n  "))
}

// quick is for tests that wait for the end of a call.
func quick(declaration string) string {
	return strings.Replace(declaration, "call_timeout: 10s", "call_timeout: 1s", 1)
}

func open(tb testing.TB, text string) tools.Tool {
	tb.Helper()
	tool, err := declare(tb, text)
	require.NoError(tb, err)
	return tool
}

func declare(tb testing.TB, text string) (tools.Tool, error) {
	tb.Helper()
	return kindtest.Declare(tb, "book", text, postgres.Kind{})
}

func parameters(note string, amount float64, more ...any) json.RawMessage {
	object := map[string]any{"number": "W-17", "note": note, "amount": amount}
	for i := 0; i < len(more); i += 2 {
		object[more[i].(string)] = more[i+1]
	}
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return raw
}

func call(key, note string, more ...any) tools.Call {
	return tools.Call{
		RunID: "acme/weekly-2026-W48", PlanHash: plan.Sum([]byte("plan")), Approver: "mei.chen@example.com",
		Action: plan.Action{
			ID: "a1", Tool: "book", Target: "shop/orders", Item: "W-17", IdempotencyKey: key,
			Parameters: parameters(note, 12.5, more...),
		},
	}
}

func proposal(note string, more ...any) tools.Proposal {
	return tools.Proposal{Tool: "book", Parameters: parameters(note, 12.5, more...), AllowedTarget: "shop"}
}

func fingerprintOf(tb testing.TB, c tools.Call) string {
	tb.Helper()
	fingerprint, err := plan.Fingerprint(c.Action.Parameters)
	require.NoError(tb, err)
	return fingerprint.String()
}
