package program

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"

	"github.com/holdpoint/holdpoint/internal/config"
)

// metrics are what the worker counts, where Prometheus can read it: Holdpoint's
// own, the Temporal SDK's, and those of the process. docs/metrics.md lists them.
// Without an address nothing is counted, and nothing listens.
type metrics struct {
	address  string // where it listens, with the port that it got
	handler  client.MetricsHandler
	provider *metric.MeterProvider
	server   *http.Server
}

// openMetrics listens before the worker does anything else: an address that is
// taken is an error at start.
func openMetrics(ctx context.Context, cfg config.Config) (*metrics, error) {
	if cfg.Metrics == "" {
		return &metrics{}, nil
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo())
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Metrics)
	if err != nil {
		return nil, fmt.Errorf("%smetrics: %w; name another address", cfg.At("metrics"), err)
	}
	provider := metric.NewMeterProvider(metric.WithReader(reader), metric.WithView(seconds()))
	pages := http.NewServeMux()
	pages.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	m := &metrics{
		address:  listener.Addr().String(),
		provider: provider,
		server:   &http.Server{Handler: pages, ReadHeaderTimeout: 10 * time.Second},
		handler: opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{
			Meter: provider.Meter("holdpoint"), UseMonotonicCounters: true,
			OnError: func(error) {}, // a metric that cannot be counted stops no work
		}),
	}
	go m.server.Serve(listener) //nolint:errcheck // ends with Close
	return m, nil
}

// seconds are the bounds of all histograms: the SDK has latencies alone, in seconds,
// and OpenTelemetry's own bounds are for milliseconds.
func seconds() metric.View {
	return metric.NewView(metric.Instrument{Kind: metric.InstrumentKindHistogram}, metric.Stream{
		Aggregation: metric.AggregationExplicitBucketHistogram{
			Boundaries: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600, 3600, 86400},
		},
	})
}

// Use lets a client, and the workers on it, count here.
func (m *metrics) Use(options *client.Options) {
	if m.handler != nil {
		options.MetricsHandler = m.handler
	}
}

// Close stops listening.
func (m *metrics) Close() {
	if m.server != nil {
		_ = m.server.Close()                          // whoever reads just now reads again elsewhere
		_ = m.provider.Shutdown(context.Background()) // it has nothing to send
	}
}
