package jetstream_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/natsserver"
)

func TestPublishedMessage(t *testing.T) {
	b := newBroker(t)
	tool := open(t, declaration(b.URL(), "1h", `headers: {Content-Type: application/json, X-Item: "{{item}}"}`))
	key := kindtest.KeyOf("message")
	c := call(key, `<b>"周报"`)

	receipt, err := kindtest.Apply(t, tool, c)
	require.NoError(t, err)
	require.Equal(t, plan.Receipt{
		IdempotencyKey: key, Tool: "announce", Target: "orders/eu", Ref: "ORDERS/1",
		Detail: "stream ORDERS, sequence 1, subject orders.eu.new", At: receipt.At,
	}, receipt)
	stored := b.messages(key)
	require.Len(t, stored, 1)
	require.WithinDuration(t, stored[0].Time, receipt.At, 2*time.Second)
	require.Equal(t, "orders.eu.new", stored[0].Subject)
	require.Equal(t, `{"note":"<b>\"周报\"","number":"W-17"}`, string(stored[0].Data))
	fingerprint, err := plan.Fingerprint(c.Action.Parameters)
	require.NoError(t, err)
	require.Equal(t, nats.Header{
		"Nats-Msg-Id": {key}, "Nats-Expected-Stream": {"ORDERS"}, "Holdpoint-Fingerprint": {fingerprint.String()},
		"Holdpoint-Run": {"acme/weekly-2026-W48"}, "Holdpoint-Action": {"a1"},
		"Content-Type": {"application/json"}, "X-Item": {"W-17"},
	}, stored[0].Header)

	again, err := kindtest.Apply(t, tool, c)
	require.NoError(t, err)
	require.Equal(t, receipt.Ref, again.Ref)
	require.Equal(t, receipt.Detail, again.Detail)
	require.EqualValues(t, 1, b.stored())
	count, err := tool.Count(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, 1, count)
	count, err = tool.Count(t.Context(), call(kindtest.KeyOf("another"), ""))
	require.NoError(t, err)
	require.Zero(t, count)
}

func TestTextBodyIsSentAsItIs(t *testing.T) {
	b := newBroker(t)
	text := strings.Replace(declaration(b.URL(), "1h"), "body: {number: \"{{params.number}}\", note:", "body:", 1)
	text = strings.Replace(text, "''}}\"}", "''}}\"", 1)
	tool := open(t, text)
	_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("text"), "line 1\nline 2 \"quoted\""))
	require.NoError(t, err)
	require.Equal(t, "line 1\nline 2 \"quoted\"", string(b.messages(kindtest.KeyOf("text"))[0].Data))
}

func TestRaceOfOneKeyIsOneMessage(t *testing.T) {
	b := newBroker(t)
	key := kindtest.KeyOf("race")
	var callers sync.WaitGroup
	for range 8 {
		tool := open(t, declaration(b.URL(), "1h"))
		for range 4 {
			callers.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				receipt, err := tool.Apply(ctx, call(key, "one"))
				if err != nil || receipt.Ref != "ORDERS/1" {
					t.Errorf("%v %v", receipt, err)
				}
			})
		}
	}
	callers.Wait()
	require.EqualValues(t, 1, b.stored())
}

func TestWorkerStartsAndGoesOnWithoutItsBroker(t *testing.T) {
	b := newBroker(t)
	b.Stop()
	tool := open(t, declaration(b.URL(), "1h"))
	_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
	kindtest.RequireFault(t, err, faults.Transient, "dial_failed")

	require.NoError(t, b.Start())
	first, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
	require.NoError(t, err)

	b.Stop()
	require.Eventually(t, func() bool {
		_, err = kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
		return faults.Name(err).Code == "dial_failed" && faults.ClassOf(err) == faults.Transient
	}, patience, tick)
	require.NoError(t, b.Start())
	again, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
	require.NoError(t, err)
	require.Equal(t, first.Ref, again.Ref, "the broker still knows the key after its restart")
	b.connect()
	require.EqualValues(t, 1, b.stored())
}

// A broker that goes away between the look at the stream and the publish, and
// comes back while the call still runs: a client that reconnects would send
// then what it could not send before.
func TestNothingIsSentAgainOnAnotherConnection(t *testing.T) {
	b := newBroker(t)
	tool := open(t, declaration(b.URL(), "1h"))
	c := call(kindtest.KeyOf("k"), "")
	c.MayBegin = func(context.Context) error {
		b.Stop()
		return b.Start()
	}
	_, err := kindtest.Apply(t, tool, c)
	kindtest.RequireFault(t, err, faults.Unknown, "no_ack")
	b.connect()
	require.Zero(t, b.stored())
	receipt, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
	require.NoError(t, err)
	require.Equal(t, "ORDERS/1", receipt.Ref)
}

func TestWhatTheBrokerRefuses(t *testing.T) {
	tests := []struct {
		name   string
		stream func(*natsjs.StreamConfig)
		note   string
		class  faults.Class
		code   string
	}{
		{"a message over the stream's limit", func(c *natsjs.StreamConfig) { c.MaxMsgSize = 500 }, strings.Repeat("x", 600), faults.Permanent, "nats_10054"},
		{"a message over the server's limit", nil, strings.Repeat("x", 1<<20), faults.Permanent, "bad_message"},
		{
			"a full stream, which may have place later", func(c *natsjs.StreamConfig) { c.MaxMsgs, c.Discard = 1, natsjs.DiscardNew }, "",
			faults.Transient, "nats_10077",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBroker(t, func(c *natsjs.StreamConfig) {
				if tt.stream != nil {
					tt.stream(c)
				}
			})
			_, err := b.js.Publish(t.Context(), "orders.eu.new", nil)
			require.NoError(t, err)
			_, err = kindtest.Apply(t, open(t, declaration(b.URL(), "1h")), call(kindtest.KeyOf("k"), tt.note))
			kindtest.RequireFault(t, err, tt.class, tt.code)
			require.EqualValues(t, 1, b.stored())
		})
	}
}

func TestStreamIsCheckedAgainBeforeEachPublish(t *testing.T) {
	b := newBroker(t)
	tool := open(t, declaration(b.URL(), "1h"))
	require.NoError(t, b.js.DeleteStream(t.Context(), "ORDERS"))
	_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
	kindtest.RequireFault(t, err, faults.Permanent, "stream_not_found")

	b.stream(func(c *natsjs.StreamConfig) { c.Duplicates = time.Minute })
	_, err = kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
	kindtest.RequireFault(t, err, faults.Permanent, "key_window")
	require.Zero(t, b.stored())
}

func TestNothingBeginsThatIsNotAllowedAnyMore(t *testing.T) {
	b := newBroker(t)
	expired := &faults.Fault{Class: faults.Permanent, Code: "approval_expired", Reason: "over"}
	c := call(kindtest.KeyOf("k"), "")
	c.MayBegin = func(context.Context) error { return expired }
	_, err := kindtest.Apply(t, open(t, declaration(b.URL(), "1h")), c)
	require.Same(t, expired, err)
	require.Zero(t, b.stored())
}

// users lets one user in who may do all but what deny says.
func users(deny ...string) func(*server.Options) {
	return func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "admin", Password: "admin-secret"},
			{Username: "worker", Password: "worker-secret", Permissions: &server.Permissions{
				Publish: &server.SubjectPermission{Deny: deny},
			}},
		}
	}
}

func secured(t *testing.T, configure func(*server.Options)) *broker {
	t.Helper()
	b := &broker{Server: natsserver.StartWith(t, natsserver.Options{Configure: configure}), t: t}
	b.connect(nats.UserInfo("admin", "admin-secret"))
	b.stream()
	return b
}

func TestUserWithoutPermissions(t *testing.T) {
	t.Setenv("NATS_PASSWORD", "worker-secret")
	signIn := `user: worker
  password: "${env:NATS_PASSWORD}"`
	t.Run("to publish: refused at once, and surely not stored", func(t *testing.T) {
		b := secured(t, users("orders.>"))
		_, err := kindtest.Apply(t, open(t, declaration(b.URL(), "1h", signIn)), call(kindtest.KeyOf("k"), ""))
		kindtest.RequireFault(t, err, faults.Permanent, "nats_denied")
		require.Zero(t, b.stored())
	})
	t.Run("to ask for the stream", func(t *testing.T) {
		b := secured(t, users("$JS.API.STREAM.INFO.>"))
		_, err := kindtest.Apply(t, open(t, declaration(b.URL(), "1h", signIn)), call(kindtest.KeyOf("k"), ""))
		kindtest.RequireFault(t, err, faults.Permanent, "nats_denied")
		require.Zero(t, b.stored())
	})
	t.Run("to read messages: a duplicate is success all the same", func(t *testing.T) {
		b := secured(t, users("$JS.API.STREAM.MSG.GET.>"))
		tool := open(t, declaration(b.URL(), "1h", signIn))
		first, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
		require.NoError(t, err)
		again, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
		require.NoError(t, err)
		require.Equal(t, first.Ref, again.Ref)
		require.EqualValues(t, 1, b.stored())
	})
}

// A publish that was given up must not arrive later: its connection ends with
// a reset, which throws away what was not yet sent.
func TestPublishWithoutAnswerGivesItsConnectionUp(t *testing.T) {
	b := newBroker(t)
	relay := newRelay(t, b.Address())
	tool := open(t, quick(declaration("nats://"+relay.listener.Addr().String(), "1h")))
	_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
	kindtest.RequireFault(t, err, faults.Unknown, "no_ack")
	select {
	case err := <-relay.ended:
		require.ErrorIs(t, err, syscall.ECONNRESET)
	case <-time.After(patience):
		require.Fail(t, "the connection was kept")
	}
	require.Zero(t, b.stored())
}

// relay is a stalled network: it takes a publish and does not carry it on.
type relay struct {
	listener net.Listener
	ended    chan error // how the client's side ended
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &relay{listener: listener, ended: make(chan error, 1)}
	t.Cleanup(func() { listener.Close() })
	go func() {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		target, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer target.Close()
		go io.Copy(client, target)
		r.requests(client, target)
	}()
	return r
}

func (r *relay) requests(client, target net.Conn) {
	buffer, stalled := make([]byte, 64<<10), false
	for {
		n, err := client.Read(buffer)
		if err != nil {
			r.ended <- err
			return
		}
		if stalled = stalled || strings.Contains(string(buffer[:n]), "Nats-Msg-Id"); !stalled {
			target.Write(buffer[:n])
		}
	}
}

func TestCanceledWhileWaitingIsUnknown(t *testing.T) {
	b := newBroker(t)
	link := kindtest.NewLink(t, b.Address())
	link.LoseAnswers("Nats-Msg-Id")
	tool := open(t, declaration("nats://"+link.Addr(), "1h"))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for link.Fired() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err := tool.Apply(ctx, call(kindtest.KeyOf("k"), ""))
	fault := kindtest.RequireFault(t, err, faults.Unknown, "interrupted")
	require.ErrorIs(t, fault, context.Canceled)
}

func TestCanceledBeforeIsSurelyNothing(t *testing.T) {
	b := newBroker(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := open(t, declaration(b.URL(), "1h")).Apply(ctx, call(kindtest.KeyOf("k"), ""))
	kindtest.RequireFault(t, err, faults.Transient, "interrupted")
	require.Zero(t, b.stored())
}
