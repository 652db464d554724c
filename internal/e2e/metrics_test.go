package e2e

import (
	"bufio"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// What people watch: a worker counts its attempts, as the SDK does, and serves
// them to Prometheus. The key of a model's server is in none of it.
func TestMetricsOfAWorker(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.models("", goodProposal())
	w := s.worker("--metrics", "127.0.0.1:0")
	run := s.startModel("w40")
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))

	require.InDelta(t, 5, w.metric("temporal_activity_succeed_endtoend_latency_seconds_count"), 0, "one attempt for each step")
	require.InDelta(t, 1, w.metric("holdpoint_model_calls_total"), 0)
	require.InDelta(t, 1, w.metric("temporal_workflow_completed_total"), 0)
	require.Positive(t, w.metric("process_resident_memory_bytes"))
	page := w.metrics()
	require.Contains(t, page, `planner="writer"`)
	for _, secret := range []string{modelKey, run, "ann.wu"} {
		require.NotContains(t, page, secret)
	}
}

var metricsAddress = regexp.MustCompile(`(?m)^metrics: (http://127\.0\.0\.1:\d+/metrics)$`)

// metrics is what the worker serves to Prometheus.
func (p *proc) metrics() string {
	p.t.Helper()
	address := metricsAddress.FindStringSubmatch(p.said())
	require.NotNil(p.t, address, "the worker prints where its metrics are")
	response, err := http.Get(address[1])
	require.NoError(p.t, err)
	defer response.Body.Close()
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	var page strings.Builder
	_, err = bufio.NewReader(response.Body).WriteTo(&page)
	require.NoError(p.t, err)
	return page.String()
}

// metric is a metric's sum over all its tags; 0 for one that was never counted.
func (p *proc) metric(name string) (sum float64) {
	p.t.Helper()
	for line := range strings.Lines(p.metrics()) {
		sample, isOne := strings.CutPrefix(strings.TrimSpace(line), name)
		if !isOne || !strings.HasPrefix(sample, "{") && !strings.HasPrefix(sample, " ") {
			continue
		}
		value, err := strconv.ParseFloat(sample[strings.LastIndexByte(sample, ' ')+1:], 64)
		require.NoError(p.t, err)
		sum += value
	}
	return sum
}
