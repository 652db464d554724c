package jetstream_test

import (
	"context"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
)

func find(t *testing.T, tool tools.Tool, c tools.Call) (tools.Finding, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return tool.(tools.Finder).Find(ctx, c)
}

// lookedFor is a call as the protocol looks for it.
func lookedFor(key, note string) tools.Call {
	c := call(key, note)
	c.InDoubt, c.FirstSent = true, time.Now()
	return c
}

func TestFind(t *testing.T) {
	others := func(t *testing.T, b *broker, count int) {
		for range count {
			_, err := b.js.Publish(t.Context(), "orders.eu.new", []byte("{}"))
			require.NoError(t, err)
		}
	}
	publish := func(t *testing.T, b *broker) {
		_, err := kindtest.Apply(t, open(t, declaration(b.URL(), "1h")), call(kindtest.KeyOf("k"), "one"))
		require.NoError(t, err)
	}
	remove := func(t *testing.T, b *broker, sequence uint64) {
		stream, err := b.js.Stream(t.Context(), "ORDERS")
		require.NoError(t, err)
		require.NoError(t, stream.DeleteMsg(t.Context(), sequence))
	}
	tests := []struct {
		name   string
		stream func(*natsjs.StreamConfig)
		given  func(t *testing.T, b *broker)
		note   string
		want   tools.Presence
		ref    string
		says   string
	}{
		{name: "an empty stream", want: tools.Absent},
		{name: "other messages only", given: func(t *testing.T, b *broker) { others(t, b, 20) }, want: tools.Absent},
		{
			name: "among others", want: tools.Found, ref: "ORDERS/4",
			given: func(t *testing.T, b *broker) { others(t, b, 3); publish(t, b); others(t, b, 3) },
		},
		{
			name: "stored under another subject", want: tools.Found, ref: "ORDERS/1", given: publish,
			stream: func(c *natsjs.StreamConfig) {
				c.SubjectTransform = &natsjs.SubjectTransformConfig{Source: "orders.*.new", Destination: "orders.partition.{{wildcard(1)}}"}
			},
		},
		{
			name: "with other parameters", given: publish, note: "two", want: tools.NotProven,
			says: "stream ORDERS has a message of this key with other parameters, sequence 1",
		},
		{
			name: "removed", want: tools.NotProven, says: "may have removed one",
			given: func(t *testing.T, b *broker) { others(t, b, 1); publish(t, b); others(t, b, 1); remove(t, b, 2) },
		},
		{
			name: "removed at the stream's begin", want: tools.NotProven, says: "may have removed one",
			given: func(t *testing.T, b *broker) { publish(t, b); others(t, b, 1); remove(t, b, 1) },
		},
		{
			name: "purged", want: tools.NotProven, says: "may have removed one",
			given: func(t *testing.T, b *broker) {
				publish(t, b)
				stream, err := b.js.Stream(t.Context(), "ORDERS")
				require.NoError(t, err)
				require.NoError(t, stream.Purge(t.Context()))
			},
		},
		{
			name: "pushed out by a limit", want: tools.NotProven, says: "may have removed one",
			stream: func(c *natsjs.StreamConfig) { c.MaxMsgs = 2 },
			given:  func(t *testing.T, b *broker) { publish(t, b); others(t, b, 2) },
		},
		{
			name: "a stream in memory", want: tools.NotProven, says: "may have removed one",
			stream: func(c *natsjs.StreamConfig) { c.Storage = natsjs.MemoryStorage },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBroker(t, func(c *natsjs.StreamConfig) {
				if tt.stream != nil {
					tt.stream(c)
				}
			})
			if tt.given != nil {
				tt.given(t, b)
			}
			if tt.note == "" {
				tt.note = "one"
			}
			before := b.stored()
			got, err := find(t, open(t, declaration(b.URL(), "1h")), lookedFor(kindtest.KeyOf("k"), tt.note))
			require.NoError(t, err)
			require.Equal(t, tt.want, got.Presence, got.Detail)
			require.Contains(t, got.Detail, tt.says)
			require.Equal(t, tt.ref, got.Receipt.Ref)
			require.Equal(t, before, b.stored(), "a look writes nothing")
		})
	}
}

func TestFindOfAStreamThatWasMadeAnew(t *testing.T) {
	b := newBroker(t)
	tool := open(t, declaration(b.URL(), "1h"))
	_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "one"))
	require.NoError(t, err)
	c := lookedFor(kindtest.KeyOf("k"), "one")
	require.NoError(t, b.js.DeleteStream(t.Context(), "ORDERS"))

	_, err = find(t, tool, c)
	kindtest.RequireFault(t, err, faults.Transient, "stream_not_found")

	b.stream()
	got, err := find(t, tool, c)
	require.NoError(t, err)
	require.Equal(t, tools.NotProven, got.Presence, "the stream of that time is gone")
}

func TestFindWithoutTheTimeOfTheFirstCallProvesNoAbsence(t *testing.T) {
	b := newBroker(t)
	got, err := find(t, open(t, declaration(b.URL(), "1h")), call(kindtest.KeyOf("k"), "one"))
	require.NoError(t, err)
	require.Equal(t, tools.NotProven, got.Presence)
}

func TestFindWhileTheBrokerIsDown(t *testing.T) {
	b := newBroker(t)
	b.Stop()
	_, err := find(t, open(t, declaration(b.URL(), "1h")), lookedFor(kindtest.KeyOf("k"), "one"))
	kindtest.RequireFault(t, err, faults.Transient, "dial_failed")
}
