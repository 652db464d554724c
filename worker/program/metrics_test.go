package program

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

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

// A latency of some milliseconds and one of some minutes are told apart.
func TestLatenciesHaveBucketsOfSeconds(t *testing.T) {
	t.Parallel()
	m, err := openMetrics(t.Context(), config.Config{Metrics: "127.0.0.1:0"})
	require.NoError(t, err)
	defer m.Close()
	m.handler.Timer("a_latency").Record(3 * time.Millisecond)
	m.handler.Timer("a_latency").Record(4 * time.Minute)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+m.address+"/metrics", http.NoBody)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Contains(t, string(page), `a_latency_seconds_bucket{le="0.005"} 1`)
	require.Contains(t, string(page), `a_latency_seconds_bucket{le="60"} 1`)
	require.Contains(t, string(page), `a_latency_seconds_bucket{le="300"} 2`)
}
