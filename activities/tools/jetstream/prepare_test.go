package jetstream_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
)

func proposal(region, note string) tools.Proposal {
	parameters, err := json.Marshal(map[string]string{"region": region, "number": "W-17", "note": note})
	if err != nil {
		panic(err)
	}
	return tools.Proposal{Tool: "announce", Parameters: parameters, AllowedTarget: "orders"}
}

func TestPreviewShowsTheWholeMessage(t *testing.T) {
	b := newBroker(t)
	tool := open(t, declaration(b.URL(), "1h", `headers: {X-Item: "{{item}}"}`))
	long := strings.Repeat("all of a long note ", 500)
	prepared, err := tool.Prepare(t.Context(), proposal("eu", "line 1\nend\u202e <"+long))
	require.NoError(t, err)
	require.Empty(t, prepared.Precondition)
	require.Equal(t, "orders/eu", prepared.Target)
	fingerprint, rest, found := strings.Cut(strings.TrimPrefix(prepared.Preview, "one message to the NATS stream ORDERS\nsubject: orders.eu.new\nHoldpoint-Fingerprint: sha256:"), "\n")
	require.True(t, found)
	require.Len(t, fingerprint, 64)
	require.Equal(t, "Nats-Msg-Id: IDEMPOTENCY-KEY\nX-Item: W-17\n\n"+
		"{\n  \"note\": \"line 1\\nend\\u{202E} <"+long+"\",\n  \"number\": \"W-17\"\n}\n", rest)
	require.Zero(t, b.stored(), "a preview writes nothing")
}

func TestPreviewTellsOfAStreamThatForgets(t *testing.T) {
	for name, change := range map[string]func(*natsjs.StreamConfig){
		"keeps messages in memory":  func(c *natsjs.StreamConfig) { c.Storage = natsjs.MemoryStorage },
		"removes consumed messages": func(c *natsjs.StreamConfig) { c.Retention = natsjs.InterestPolicy },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, change)
			prepared, err := open(t, declaration(b.URL(), "1h")).Prepare(t.Context(), proposal("eu", ""))
			require.NoError(t, err)
			require.Contains(t, prepared.Preview, "note: the stream "+name)
		})
	}
}

func TestKeyCanStandInTheSubject(t *testing.T) {
	b := newBroker(t)
	tool := open(t, strings.Replace(declaration(b.URL(), "1h"), "}}.new", "}}.{{key}}", 1))
	prepared, err := tool.Prepare(t.Context(), proposal("eu", ""))
	require.NoError(t, err)
	require.Contains(t, prepared.Preview, "subject: orders.eu.IDEMPOTENCY-KEY\n")
	_, err = kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
	require.NoError(t, err)
	require.Equal(t, "orders.eu."+kindtest.KeyOf("k"), b.messages(kindtest.KeyOf("k"))[0].Subject)
}

func TestPrepareRefusesWhatTheStreamWouldNotKeep(t *testing.T) {
	tests := []struct {
		name   string
		stream func(*natsjs.StreamConfig)
		code   string
		says   string
	}{
		{
			"a window that is shorter than declared", func(c *natsjs.StreamConfig) { c.Duplicates = 2 * time.Minute }, "key_window",
			"tool announce declares a key_window of 1h0m0s, and stream ORDERS remembers a message id for 2m0s only; lower the one or raise the other",
		},
		{"another subject", func(c *natsjs.StreamConfig) { c.Subjects = []string{"orders.us.>", "bills.>"} }, "subject_not_in_stream", "stream ORDERS does not take the subject of this action"},
		{"no acknowledgement", func(c *natsjs.StreamConfig) { c.NoAck = true }, "stream_unfit", "stream ORDERS does not acknowledge messages (no_ack)"},
		{"another stream", func(c *natsjs.StreamConfig) { c.Name = "BILLS" }, "stream_not_found", "NATS has no stream ORDERS"},
		{"less than the message's size", func(c *natsjs.StreamConfig) { c.MaxMsgSize = 200 }, "message_too_large", "the broker takes 200"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBroker(t, tt.stream)
			_, err := open(t, declaration(b.URL(), "1h")).Prepare(t.Context(), proposal("eu", strings.Repeat("x", 100)))
			require.Contains(t, kindtest.RequireFault(t, err, faults.Permanent, tt.code).Reason, tt.says)
		})
	}
	t.Run("sealed", func(t *testing.T) {
		b := newBroker(t)
		stream, err := b.js.Stream(t.Context(), "ORDERS")
		require.NoError(t, err)
		config := stream.CachedInfo().Config
		config.Sealed = true
		_, err = b.js.UpdateStream(t.Context(), config)
		require.NoError(t, err)
		_, err = open(t, declaration(b.URL(), "1h")).Prepare(t.Context(), proposal("eu", ""))
		kindtest.RequireFault(t, err, faults.Permanent, "stream_unfit")
	})
	t.Run("no JetStream at all is not for good", func(t *testing.T) {
		b := newBroker(t)
		b.Stop()
		_, err := open(t, declaration(b.URL(), "1h")).Prepare(t.Context(), proposal("eu", ""))
		kindtest.RequireFault(t, err, faults.Transient, "dial_failed")
	})
}

func TestAParameterIsOneTokenOfTheSubject(t *testing.T) {
	b := newBroker(t)
	tool := open(t, strings.Replace(declaration(b.URL(), "1h"), `target: "orders/{{params.region}}"`, `target: "orders/all"`, 1))
	for name, region := range map[string]string{
		"wildcard": "*", "wildcard within": "e*", "rest": ">", "blank": "e u", "no-break space": "e\u00a0u", "tab": "e\tu", "line end": "eu\r\nPUB x 0",
		"level": "eu.west", "empty": "", "control": "eu\u0000",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tool.Prepare(t.Context(), tools.Proposal{
				Tool: "announce", Parameters: proposal(region, "").Parameters, AllowedTarget: "orders",
			})
			kindtest.RequireFault(t, err, faults.Permanent, "bad_message")
			require.NotContains(t, err.Error(), "PUB x")
		})
	}
	prepared, err := tool.Prepare(t.Context(), proposal("亚洲", ""))
	require.NoError(t, err)
	require.Contains(t, prepared.Preview, "subject: orders.亚洲.new\n")
}

func TestHeaderValuesStayOnTheirLine(t *testing.T) {
	b := newBroker(t)
	tool := open(t, declaration(b.URL(), "1h", `headers: {X-Note: "{{params.note}}"}`))
	_, err := tool.Prepare(t.Context(), proposal("eu", "x\r\nNats-Rollup: all"))
	fault := kindtest.RequireFault(t, err, faults.Permanent, "bad_message")
	require.Equal(t, "tool announce: its header X-Note has a control character", fault.Reason)
}
