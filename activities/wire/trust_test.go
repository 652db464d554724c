package wire_test

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/wire"
)

func TestTrust(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")

	system, err := wire.Trust("")
	require.NoError(t, err)
	require.Nil(t, system.RootCAs)

	_, err = wire.Trust(file)
	require.ErrorIs(t, err, os.ErrNotExist)

	require.NoError(t, os.WriteFile(file, []byte("none"), 0o600))
	_, err = wire.Trust(file)
	require.EqualError(t, err, "holds no certificate in PEM form")

	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(file, authority, 0o600))
	trusted, err := wire.Trust(file)
	require.NoError(t, err)
	_, err = ask(t, &wire.Line{TLS: trusted}, server.URL)
	require.ErrorIs(t, err, wire.ErrTooLarge, "the page that says that there is none")
	_, err = ask(t, &wire.Line{TLS: system}, server.URL)
	require.Error(t, err)
	require.NotErrorIs(t, err, wire.ErrTooLarge)
}
