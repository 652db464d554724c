package jetstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/activities/tools/jetstream"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/natsserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	patience = 20 * time.Second
	tick     = 10 * time.Millisecond
)

// broker is a NATS server with a stream ORDERS, and a client of its own that
// looks at it.
type broker struct {
	*natsserver.Server

	t  testing.TB
	js natsjs.JetStream
}

func newBroker(tb testing.TB, change ...func(*natsjs.StreamConfig)) *broker {
	tb.Helper()
	b := &broker{Server: natsserver.Start(tb), t: tb}
	b.connect()
	b.stream(change...)
	return b
}

func (b *broker) connect(options ...nats.Option) {
	b.t.Helper()
	conn, err := nats.Connect(b.URL(), options...)
	require.NoError(b.t, err)
	b.t.Cleanup(conn.Close)
	b.js, err = natsjs.New(conn)
	require.NoError(b.t, err)
}

func (b *broker) stream(change ...func(*natsjs.StreamConfig)) {
	b.t.Helper()
	config := natsjs.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}, Duplicates: 2 * time.Hour}
	for _, c := range change {
		c(&config)
	}
	_, err := b.js.CreateStream(context.Background(), config)
	require.NoError(b.t, err)
}

// messages are all messages of a key in the stream, read one by one.
func (b *broker) messages(key string) []*natsjs.RawStreamMsg {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	stream, err := b.js.Stream(ctx, "ORDERS")
	require.NoError(b.t, err)
	state := stream.CachedInfo().State
	var found []*natsjs.RawStreamMsg
	for seq := state.FirstSeq; seq <= state.LastSeq && seq > 0; seq++ {
		m, err := stream.GetMsg(ctx, seq)
		if err != nil {
			require.ErrorIs(b.t, err, natsjs.ErrMsgNotFound)
			continue
		}
		if m.Header.Get("Nats-Msg-Id") == key {
			found = append(found, m)
		}
	}
	return found
}

func (b *broker) stored() uint64 {
	b.t.Helper()
	stream, err := b.js.Stream(context.Background(), "ORDERS")
	require.NoError(b.t, err)
	return stream.CachedInfo().State.LastSeq
}

// declaration of a tool that publishes new orders. more is added under nats.
func declaration(server, window string, more ...string) string {
	return fmt.Sprintf(`
version: "1"
kind: nats
class: keyed
risk: low
call_timeout: 10s
key_window: %s
schema:
  type: object
  required: [region, number]
  additionalProperties: false
  properties:
    region: {type: string}
    number: {type: string}
    note: {type: string}
    amount: {type: number}
target: "orders/{{params.region}}"
item: "{{params.number}}"
nats:
  servers: ["%s"]
  stream: ORDERS
  subject: "orders.{{params.region}}.new"
  body: {number: "{{params.number}}", note: "{{has(params.note) ? params.note : ''}}"}
  %s
`, window, server, strings.Join(more, "\n  "))
}

// quick is for tests that wait for the end of a call.
func quick(declaration string) string {
	return strings.Replace(declaration, "call_timeout: 10s", "call_timeout: 700ms", 1)
}

func open(tb testing.TB, text string) tools.Tool {
	tb.Helper()
	tool, err := declare(tb, text)
	require.NoError(tb, err)
	return tool
}

func declare(tb testing.TB, text string) (tools.Tool, error) {
	tb.Helper()
	return kindtest.Declare(tb, "announce", text, jetstream.Kind{})
}

func action(key, note string) plan.Action {
	parameters, err := json.Marshal(map[string]string{"region": "eu", "number": "W-17", "note": note})
	if err != nil {
		panic(err)
	}
	return plan.Action{
		ID: "a1", Tool: "announce", Target: "orders/eu", Item: "W-17", IdempotencyKey: key, Parameters: parameters,
	}
}

func call(key, note string) tools.Call {
	return tools.Call{
		RunID: "acme/weekly-2026-W48", PlanHash: plan.Sum([]byte("plan")), Approver: "mei.chen@example.com", Action: action(key, note),
	}
}
