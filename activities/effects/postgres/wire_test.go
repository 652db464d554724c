package postgres_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects/postgres"
	"github.com/holdpoint/holdpoint/internal/pgtest"
)

// wire is the line between a ledger and its database. It can be cut once, in
// the middle of a chosen batch of statements.
type wire struct {
	proxy *toxiproxy.Proxy

	mu    sync.Mutex
	left  int // batches until the cut; 0: not armed
	cut   cut
	cuts  int    // that have happened
	after func() // runs when the ledger has noticed the cut, before it does anything else
}

// cut is what happens to one batch.
type cut struct {
	stream string // "upstream": before the server gets it; "downstream": its answer
	bytes  int    // that still pass; -1: none, and the connection stays open, silent
}

func (c cut) toxic() string {
	if c.bytes < 0 {
		return fmt.Sprintf(`{"name":"cut","type":"timeout","stream":%q,"attributes":{"timeout":0}}`, c.stream)
	}
	return fmt.Sprintf(`{"name":"cut","type":"limit_data","stream":%q,"attributes":{"bytes":%d}}`, c.stream, c.bytes)
}

// wired opens a ledger that has one connection, over a wire.
func wired(t *testing.T, s *pgtest.Server, address string) (*postgres.Ledger, *wire) {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	w := &wire{proxy: toxiproxy.NewProxy(server, "database", "127.0.0.1:0", s.Address())}
	require.NoError(t, w.proxy.Start())
	t.Cleanup(w.proxy.Stop)
	config, err := postgres.Configure(strings.Replace(address, s.Address(), w.proxy.Listen, 1))
	require.NoError(t, err)
	config.MaxConns = 1
	config.ConnConfig.Tracer = w
	l, err := postgres.OpenConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l, w
}

// next arms the wire: the n-th batch from now on, counted from 1, is cut.
func (w *wire) next(n int, c cut, after func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left, w.cut, w.after = n, c, after
}

// happened is how many cuts there were since the last time. It disarms the
// wire.
func (w *wire) happened() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	cuts := w.cuts
	w.left, w.cuts = 0, 0
	return cuts
}

func (w *wire) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == 0 {
		return ctx
	}
	if w.left--; w.left > 0 {
		return ctx
	}
	if _, err := w.proxy.Toxics.AddToxicJson(strings.NewReader(w.cut.toxic())); err != nil {
		panic(err)
	}
	return context.WithValue(ctx, cutKey{}, sync.OnceFunc(w.noticed))
}

func (w *wire) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, end pgx.TraceBatchEndData) {
	if noticed, ok := ctx.Value(cutKey{}).(func()); ok && end.Err != nil {
		noticed()
	}
}

func (w *wire) noticed() {
	w.mu.Lock()
	w.cuts++
	after := w.after
	w.mu.Unlock()
	w.mend()
	if after != nil {
		after()
	}
}

// mend lets everything pass again.
func (w *wire) mend() { w.proxy.Toxics.ResetToxics(context.Background()) }

func (w *wire) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (w *wire) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (w *wire) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

type cutKey struct{}

// The wire itself: a cut that does not happen would prove nothing.
func TestWire(t *testing.T) {
	s := cluster.Server(t)
	l, w := wired(t, s, s.NewDatabase(t))
	host, port, err := net.SplitHostPort(w.proxy.Listen)
	require.NoError(t, err)
	require.Equal(t, host, l.Pool().Config().ConnConfig.Host)
	require.Equal(t, port, strconv.Itoa(int(l.Pool().Config().ConnConfig.Port)))
	for _, stream := range []string{"upstream", "downstream"} {
		conn, err := l.Pool().Acquire(t.Context())
		require.NoError(t, err)
		w.next(2, cut{stream, 0}, nil)
		for _, fails := range []bool{false, true} {
			batch := &pgx.Batch{}
			batch.Queue(`SELECT 1`)
			require.Equal(t, fails, conn.SendBatch(t.Context(), batch).Close() != nil)
		}
		conn.Release()
	}
	require.Equal(t, 2, w.happened())
}
