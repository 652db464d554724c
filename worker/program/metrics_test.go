package program

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/config"
)

func TestMetricsAtAnAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, err = openMetrics(t.Context(), config.Config{Metrics: taken.Addr().String()})
	require.ErrorContains(t, err, "metrics: listen tcp "+taken.Addr().String())
	require.ErrorContains(t, err, "name another address")
}

func TestMetricsOfAMalformedAddress(t *testing.T) {
	for _, address := range []string{"9464", "127.0.0.1", "127.0.0.1:", "http://127.0.0.1:9464/metrics"} {
		p := newSite(t, "repositories: {kb: {path: kb}}\nmetrics: \""+address+"\"\n").run("", "config")
		require.NotZero(t, p.code, address)
		require.Contains(t, p.err, "metrics: give host:port, such as 127.0.0.1:9464", address)
	}
}
