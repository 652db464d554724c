package trust_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/trust"
)

func TestPool(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")

	pool, err := trust.Pool("")
	require.NoError(t, err)
	require.Nil(t, pool, "the system's")

	_, err = trust.Pool(file)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "cannot be read: stat "+file)

	pipe := filepath.Join(t.TempDir(), "pipe") // nobody writes to it, and nobody waits for that
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err = trust.Pool(pipe)
	require.ErrorContains(t, err, "is a pipe, and only a file is read here")

	for _, content := range []string{"", "none", "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n"} {
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		_, err = trust.Pool(file)
		require.EqualError(t, err, "holds no certificate in PEM form", "never the system's instead")
	}

	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	certificate := server.Certificate()
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}), 0o600))
	pool, err = trust.Pool(file)
	require.NoError(t, err)
	require.Len(t, pool.Subjects(), 1)                           //nolint:staticcheck // of a pool that is not the system's
	require.Equal(t, certificate.RawSubject, pool.Subjects()[0]) //nolint:staticcheck // as above
}
