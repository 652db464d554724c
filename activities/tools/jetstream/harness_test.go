package jetstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
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
	var node yaml.Node
	require.NoError(tb, yaml.Unmarshal([]byte(text), &node))
	tool, err := declared.New("announce", "holdpoint.yaml", node.Content[0], []declared.Kind{jetstream.Kind{}})
	if err == nil {
		tb.Cleanup(func() { require.NoError(tb, tool.(io.Closer).Close()) })
	}
	return tool, err
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

// keyOf makes a key of a name.
func keyOf(name string) string { return plan.Sum([]byte(name)).Hex()[:40] }

func apply(tb testing.TB, tool tools.Tool, c tools.Call) (plan.Receipt, error) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), tool.Spec().CallTimeout)
	defer cancel()
	return tool.Apply(ctx, c)
}

func requireFault(tb testing.TB, err error, class faults.Class, code string) *faults.Fault {
	tb.Helper()
	require.Error(tb, err)
	fault, ok := err.(*faults.Fault) //nolint:errorlint // the contract is the type itself
	require.True(tb, ok, "%T", err)
	require.Equal(tb, []any{class, code}, []any{fault.Class, fault.Code}, fault.Reason)
	return fault
}

// newProtocol has a ledger of its own.
func newProtocol(tb testing.TB) *effects.Protocol {
	tb.Helper()
	ledger, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "effects.db"))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, ledger.Close()) })
	return &effects.Protocol{Ledger: ledger, Owner: "test", Lease: 500 * time.Millisecond, Renew: 100 * time.Millisecond}
}

// retried runs attempts until one is the last.
func retried(tb testing.TB, p *effects.Protocol, tool tools.Tool, c tools.Call) (effects.Outcome, error) {
	tb.Helper()
	for number := 2; number < 30; number++ {
		out, err := p.Run(tb.Context(), tool, c, number, "acme")
		if err == nil || faults.ClassOf(err) == faults.Permanent || faults.Name(err).Code == faults.CodeOutcomeUnknown {
			return out, err
		}
		time.Sleep(max(faults.Name(err).RetryAfter, tick))
	}
	require.Fail(tb, "the action did not end")
	return effects.Outcome{}, nil
}
