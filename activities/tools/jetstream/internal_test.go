package jetstream

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern, subject string
		want             bool
	}{
		{"orders.new", "orders.new", true},
		{"orders.new", "orders.old", false},
		{"orders.new", "Orders.new", false},
		{"orders.*", "orders.new", true},
		{"orders.*", "orders.new.eu", false},
		{"orders.*", "orders", false},
		{"*.new", "orders.new", true},
		{"*", "orders.new", false},
		{"orders.>", "orders.new.eu", true},
		{"orders.>", "orders.new", true},
		{"orders.>", "orders", false},
		{">", "orders", true},
		{"orders.*.new", "orders.eu.new", true},
		{"orders.*.new", "orders.eu.west.new", false},
	} {
		require.Equal(t, tt.want, matches(tt.pattern, tt.subject), "%s %s", tt.pattern, tt.subject)
	}
}

func TestKeeps(t *testing.T) {
	sent := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	before, after := sent.Add(-time.Hour), sent.Add(time.Minute)
	whole := func() *natsjs.StreamInfo {
		return &natsjs.StreamInfo{
			Created: before,
			State:   natsjs.StreamState{Msgs: 41, FirstSeq: 10, FirstTime: before, LastSeq: 50, LastTime: after},
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*natsjs.StreamInfo)
		want   bool
	}{
		{"has everything since then", func(*natsjs.StreamInfo) {}, true},
		{"has everything it ever got", func(i *natsjs.StreamInfo) { i.State.FirstSeq, i.State.FirstTime = 1, after }, true},
		{"never got anything", func(i *natsjs.StreamInfo) { i.State = natsjs.StreamState{} }, true},
		{"was empty by then", func(i *natsjs.StreamInfo) { i.State = natsjs.StreamState{FirstSeq: 51, LastSeq: 50, LastTime: before} }, true},
		{"is empty since then", func(i *natsjs.StreamInfo) { i.State = natsjs.StreamState{FirstSeq: 51, LastSeq: 50, LastTime: after} }, false},
		{"begins after it", func(i *natsjs.StreamInfo) { i.State.FirstTime = after }, false},
		{"begins so little before it that a clock may be wrong", func(i *natsjs.StreamInfo) { i.State.FirstTime = sent.Add(-time.Minute) }, false},
		{"lacks some in between", func(i *natsjs.StreamInfo) { i.State.NumDeleted = 1 }, false},
		{"was made after it", func(i *natsjs.StreamInfo) { i.Created = after; i.State.FirstSeq = 1 }, false},
		{"is in memory", func(i *natsjs.StreamInfo) { i.Config.Storage = natsjs.MemoryStorage }, false},
		{"is a work queue", func(i *natsjs.StreamInfo) { i.Config.Retention = natsjs.WorkQueuePolicy }, false},
		{"keeps by interest", func(i *natsjs.StreamInfo) { i.Config.Retention = natsjs.InterestPolicy }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			info := whole()
			tt.change(info)
			require.Equal(t, tt.want, keeps(info, sent))
			require.False(t, keeps(info, time.Time{}), "without the time of the first call")
		})
	}
}

func TestWhatAnAnswerToAPublishMeans(t *testing.T) {
	api := func(status int, code natsjs.ErrorCode) error {
		return &natsjs.APIError{Code: status, ErrorCode: code, Description: "as it says"}
	}
	for _, tt := range []struct {
		name     string
		err      error
		replicas int
		class    faults.Class
		code     string
	}{
		{"wrong last sequence", api(400, 10071), 1, faults.Permanent, "nats_10071"},
		{"expected stream does not match", api(400, 10060), 1, faults.Permanent, "nats_10060"},
		{"message too large", api(400, 10054), 3, faults.Permanent, "nats_10054"},
		{"too many requests", api(429, 10167), 1, faults.Throttled, "nats_10167"},
		{"store failed", api(503, 10077), 1, faults.Transient, "nats_10077"},
		{"store failed on the leader of three", api(503, 10077), 3, faults.Unknown, "nats_10077"},
		{"insufficient resources", api(503, 10023), 1, faults.Transient, "nats_10023"},
		{"the same id is in process", api(409, 10158), 3, faults.InProgress, "nats_10158"},
		{"no stream takes it", natsjs.ErrNoStreamResponse, 1, faults.Transient, "no_responders"},
		{"denied", errDenied, 1, faults.Permanent, "nats_denied"},
		{"too large for the server", nats.ErrMaxPayload, 1, faults.Permanent, "bad_message"},
		{"somebody else answered", natsjs.ErrInvalidJSAck, 1, faults.Unknown, "bad_ack"},
		{"no answer in time", context.DeadlineExceeded, 1, faults.Unknown, "no_ack"},
		{"connection lost while waiting", nats.ErrConnectionClosed, 1, faults.Unknown, "no_ack"},
		{"stopped", context.Canceled, 1, faults.Unknown, "interrupted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fault := publishFault(tt.err, "orders.new", tt.replicas)
			require.Equal(t, []any{tt.class, tt.code}, []any{fault.Class, fault.Code})
			if _, isAPI := tt.err.(*natsjs.APIError); isAPI { //nolint:errorlint // the row's own
				require.Contains(t, fault.Reason, "JetStream says: as it says")
			}
		})
	}
}
