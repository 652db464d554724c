package enginetest

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

// Connections is what breaks on the way: before anything was sent it cost
// nothing, and after it may have been paid for.
func Connections(t *testing.T, s Subject) {
	t.Run("refused", func(t *testing.T) {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, listener.Close())
		_, err = s.engine(t, "http://"+listener.Addr().String(), nil).Ask(t.Context(), Conversation())
		require.Contains(t, RequireFault(t, err, faults.Transient, "dial_failed").Reason, "refused; nothing was sent")
	})
	t.Run("no such name", func(t *testing.T) {
		_, err := s.engine(t, "http://models.invalid", nil).Ask(t.Context(), Conversation()) // RFC 6761: no server has it
		require.Error(t, err)
		require.Equal(t, faults.Transient, faults.ClassOf(err), err.Error())
		require.Contains(t, err.Error(), "nothing was sent")
	})
	t.Run("stopped before", func(t *testing.T) {
		scene := s.Start(t, nil, modelserver.Answer{Text: "{}"})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := scene.Engine.Ask(ctx, Conversation())
		RequireFault(t, err, faults.Transient, "dial_failed")
		require.Empty(t, scene.Server.Calls())
	})
	t.Run("stopped after", func(t *testing.T) {
		scene := s.Start(t, nil, modelserver.Answer{Text: "{}", Delay: time.Minute})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			for len(scene.Server.Calls()) == 0 {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		_, err := scene.Engine.Ask(ctx, Conversation())
		RequireFault(t, err, faults.Unknown, "stopped_after_sending")
	})
	quick := func(c *provider.Config) { c.Timeout = 300 * time.Millisecond }
	small := func(c *provider.Config) { c.MaxAnswerBytes = 4096 }
	for name, tt := range map[string]struct {
		answer modelserver.Answer
		change func(*provider.Config)
		code   string
	}{
		"timeout":       {modelserver.Answer{Text: "{}", Delay: time.Minute}, quick, "no_answer"},
		"reset before":  {modelserver.Answer{Text: "{}", Connection: modelserver.ResetBefore}, nil, "answer_cut"},
		"reset within":  {modelserver.Answer{Text: "{}", Connection: modelserver.ResetWithin}, nil, "answer_cut"},
		"closed within": {modelserver.Answer{Text: "{}", Connection: modelserver.ClosedWithin}, nil, "answer_cut"},
		"too large":     {modelserver.Answer{Text: "{}", Padding: 1 << 20}, small, "answer_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			scene := s.Start(t, tt.change, tt.answer)
			_, err := scene.Ask()
			require.Contains(t, RequireFault(t, err, faults.Unknown, tt.code).Reason, "paid")
			require.Len(t, scene.Server.Calls(), 1, "one call is one request")
		})
	}
	t.Run("a refusal that breaks off is still a refusal", func(t *testing.T) {
		scene := s.Start(t, nil, modelserver.Answer{Status: 401, Connection: modelserver.ClosedWithin})
		_, err := scene.Ask()
		RequireFault(t, err, faults.Permanent, "http_401")
	})
}

// TLS is certificates and schemes: what the operator must mend is Permanent.
func TLS(t *testing.T, s Subject) {
	certified := httptest.NewTLSServer(nil)
	t.Cleanup(certified.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: certified.Certificate().Raw}
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(block), 0o600))
	trusting := func(c *provider.Config) { c.CAFile = ca }

	server, err := modelserver.Start(modelserver.Options{
		Script: modelserver.Script{Answers: []modelserver.Answer{{Text: "{}"}}},
		TLS:    &tls.Config{Certificates: certified.TLS.Certificates, MinVersion: tls.VersionTLS12},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	address := base(server, s.API)

	_, err = s.engine(t, address, trusting).Ask(t.Context(), Conversation())
	require.NoError(t, err, "an authority of one's own is trusted")

	_, err = s.engine(t, address, nil).Ask(t.Context(), Conversation())
	require.Contains(t, RequireFault(t, err, faults.Permanent, "bad_certificate").Reason, "ca_file")

	_, err = s.engine(t, strings.Replace(address, "127.0.0.1", "localhost", 1), trusting).Ask(t.Context(), Conversation())
	require.Contains(t, RequireFault(t, err, faults.Permanent, "bad_certificate").Reason, "another name")

	plain := s.Start(t, nil, modelserver.Answer{Text: "{}"})
	_, err = s.engine(t, strings.Replace(base(plain.Server, s.API), "http://", "https://", 1), nil).Ask(t.Context(), Conversation())
	RequireFault(t, err, faults.Permanent, "no_tls")
	require.Empty(t, plain.Server.Calls())

	_, err = s.engine(t, strings.Replace(address, "https://", "http://", 1), nil).Ask(t.Context(), Conversation())
	RequireFault(t, err, faults.Permanent, "http_400") // what Go's server says in plain HTTP
	require.Len(t, server.Calls(), 1)
}
