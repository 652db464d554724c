package jetstream_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
)

// arrivals counts the messages that reach the server, stored or not.
func arrivals(t *testing.T, b *broker) func() int {
	t.Helper()
	conn, err := nats.Connect(b.URL())
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	arrived := make(chan *nats.Msg, 100)
	_, err = conn.ChanSubscribe("orders.>", arrived)
	require.NoError(t, err)
	count := func() int {
		require.NoError(t, conn.Flush(), "what the server had is here when it answers")
		return len(arrived)
	}
	require.Zero(t, count())
	return count
}

// answerLost makes the first attempt: the message is stored, and nobody hears
// of it.
func answerLost(t *testing.T, link *kindtest.Link, p *effects.Protocol, tool tools.Tool, key string) {
	t.Helper()
	link.LoseAnswers("Nats-Msg-Id")
	_, err := p.Run(t.Context(), tool, call(key, "one"), 1, "acme")
	require.Error(t, err)
	require.Equal(t, faults.Unknown, faults.ClassOf(err))
	require.Equal(t, "no_ack", faults.Name(err).Code)
	link.Heal()
}

// C017 for the broker within one process: the effect was made, its receipt
// dropped, and the claim left to its lease.
func TestBrokerAttemptThatEndsAfterTheEffectIsRecovered(t *testing.T) {
	t.Parallel()
	b := newBroker(t)
	tool, p, key := open(t, declaration(b.URL(), "1h")), kindtest.NewProtocol(t), kindtest.KeyOf("C017")
	ending := *p
	ending.Reached = func(at effects.Point) {
		if at == effects.PointEffect {
			runtime.Goexit()
		}
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		ending.Run(t.Context(), tool, call(key, "one"), 1, "acme")
	}()
	<-gone
	require.Len(t, b.messages(key), 1)

	out, err := kindtest.Retried(t, p, tool, call(key, "one"))
	require.NoError(t, err)
	require.True(t, out.Recovered)
	require.Equal(t, "ORDERS/1", out.Receipt.Ref)
	require.Len(t, b.messages(key), 1)
	rows, err := p.Ledger.Rows(t.Context(), []string{key})
	require.NoError(t, err)
	require.Equal(t, effects.Completed, rows[0].State)
}

// C025 for the broker: it keeps message ids for 2 s, and the worker is down
// for 5 s.
func TestC025_BrokerForgetsTheKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		window    time.Duration // of the stream
		down      time.Duration
		stream    func(*natsjs.StreamConfig)
		meanwhile func(t *testing.T, b *broker)
		unknown   bool
		forgets   bool
		arrive    int // publishes in all
	}{
		{name: "inside the window the same call is made again", window: time.Minute, arrive: 2},
		{name: "outside it, the stream is asked first", window: 2 * time.Second, down: 5 * time.Second, forgets: true, arrive: 1},
		{
			name: "outside it, a message that was consumed leaves no trace", window: 2 * time.Second, down: 5 * time.Second, unknown: true, forgets: true, arrive: 1,
			stream: func(c *natsjs.StreamConfig) { c.Retention = natsjs.WorkQueuePolicy }, meanwhile: consume,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBroker(t, func(c *natsjs.StreamConfig) {
				c.Duplicates = tt.window
				if tt.stream != nil {
					tt.stream(c)
				}
			})
			link, arrived := kindtest.NewLink(t, b.Address()), arrivals(t, b)
			tool, p, key := open(t, quick(declaration("nats://"+link.Addr(), tt.window.String()))), kindtest.NewProtocol(t), kindtest.KeyOf("C025")
			answerLost(t, link, p, tool, key)
			if tt.meanwhile != nil {
				tt.meanwhile(t, b)
			}
			time.Sleep(tt.down) // the case's: the broker's window has to pass

			out, err := kindtest.Retried(t, p, tool, call(key, "one"))
			if tt.unknown {
				require.Error(t, err)
				require.Equal(t, faults.CodeOutcomeUnknown, faults.Name(err).Code)
				require.Contains(t, err.Error(), "may have removed one")
			} else {
				require.NoError(t, err)
				require.True(t, out.Recovered)
				require.Equal(t, "ORDERS/1", out.Receipt.Ref)
				require.Len(t, b.messages(key), 1)
			}
			require.EqualValues(t, 1, b.stored(), "effects")
			require.Equal(t, tt.arrive, arrived(), "publishes")

			ack, err := b.js.Publish(t.Context(), "orders.eu.new", nil, natsjs.WithMsgID(key))
			require.NoError(t, err)
			require.Equal(t, !tt.forgets, ack.Duplicate, "whether the broker still knew the key")
		})
	}
}

func consume(t *testing.T, b *broker) {
	consumer, err := b.js.CreateConsumer(t.Context(), "ORDERS", natsjs.ConsumerConfig{Durable: "billing"})
	require.NoError(t, err)
	m, err := consumer.Next()
	require.NoError(t, err)
	require.NoError(t, m.DoubleAck(t.Context()))
}

func TestC026_BrokerAnswersDuplicate(t *testing.T) {
	t.Parallel()
	b := newBroker(t)
	link, arrived := kindtest.NewLink(t, b.Address()), arrivals(t, b)
	tool, p, key := open(t, quick(declaration("nats://"+link.Addr(), "1h"))), kindtest.NewProtocol(t), kindtest.KeyOf("C026")
	answerLost(t, link, p, tool, key)

	out, err := p.Run(t.Context(), tool, call(key, "one"), 2, "acme")
	require.NoError(t, err, "one attempt more is enough")
	require.Equal(t, "ORDERS/1", out.Receipt.Ref)
	stored := b.messages(key)
	require.Len(t, stored, 1)
	require.Equal(t, stored[0].Time.UTC().Truncate(time.Second), out.Receipt.At, "the receipt is the first message's")
	require.Equal(t, 2, arrived(), "the broker said duplicate")
}

func TestC026_SameKeyOtherBody(t *testing.T) {
	b := newBroker(t)
	arrived := arrivals(t, b)
	tool, p, key := open(t, declaration(b.URL(), "1h")), kindtest.NewProtocol(t), kindtest.KeyOf("C026")
	_, err := p.Run(t.Context(), tool, call(key, "one"), 1, "acme")
	require.NoError(t, err)

	t.Run("the ledger refuses it before anything is sent", func(t *testing.T) {
		_, err := p.Run(t.Context(), tool, call(key, "two"), 1, "acme")
		kindtest.RequireFault(t, err, faults.Permanent, "key_conflict")
		require.Equal(t, 1, arrived())
	})
	t.Run("without the ledger's memory, the stored message's fingerprint does", func(t *testing.T) {
		_, err := kindtest.NewProtocol(t).Run(t.Context(), tool, call(key, "two"), 1, "acme")
		fault := kindtest.RequireFault(t, err, faults.Permanent, "key_conflict")
		require.Equal(t, "stream ORDERS has a message of this key with other parameters, sequence 1; the broker dropped this one", fault.Reason)
		require.Equal(t, 2, arrived())
	})
	stored := b.messages(key)
	require.Len(t, stored, 1)
	require.Equal(t, `{"note":"one","number":"W-17"}`, string(stored[0].Data))
}
