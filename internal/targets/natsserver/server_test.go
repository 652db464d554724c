package natsserver_test

import (
	"os"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/targets/natsserver"
)

func connect(t *testing.T, s *natsserver.Server, options ...nats.Option) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(s.URL(), options...)
	require.NoError(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	return js
}

func TestRestartKeepsAddressAndStreams(t *testing.T) {
	s := natsserver.Start(t)
	address := s.Address()
	js := connect(t, s)
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	require.NoError(t, err)
	ack, err := js.Publish(t.Context(), "orders.new", []byte("7"))
	require.NoError(t, err)

	s.Stop()
	s.Stop() // a second one changes nothing
	_, err = nats.Connect(s.URL())
	require.Error(t, err)

	require.NoError(t, s.Start())
	require.NoError(t, s.Start())
	require.Equal(t, address, s.Address())
	stream, err := connect(t, s).Stream(t.Context(), "ORDERS")
	require.NoError(t, err)
	message, err := stream.GetMsg(t.Context(), ack.Sequence)
	require.NoError(t, err)
	require.Equal(t, "7", string(message.Data))
}

func TestCloseRemovesTheData(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, err := natsserver.Launch(natsserver.Options{})
	require.NoError(t, err)
	made, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Len(t, made, 1)

	require.NoError(t, s.Close())
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestConfigureSetsUsers(t *testing.T) {
	s := natsserver.StartWith(t, natsserver.Options{Configure: func(o *server.Options) {
		o.Username, o.Password = "worker", "right"
	}})
	_, err := nats.Connect(s.URL(), nats.UserInfo("worker", "wrong"))
	require.ErrorIs(t, err, nats.ErrAuthorization)
	connect(t, s, nats.UserInfo("worker", "right"))
}
