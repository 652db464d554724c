package blobs_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
)

func open(t *testing.T) (*blobs.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blobs")
	s, err := blobs.Config{URL: "file://" + dir}.Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, dir
}

// onEach runs a test on each kind of storage. put writes an object past the
// store.
func onEach(t *testing.T, test func(t *testing.T, s *blobs.Store, put func(key, text string))) {
	t.Helper()
	t.Run("folder", func(t *testing.T) {
		s, dir := open(t)
		test(t, s, func(key, text string) {
			path := filepath.Join(dir, filepath.FromSlash(key))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		})
	})
	t.Run("bucket", func(t *testing.T) {
		server := objectserver.Start(t, objectserver.Options{Buckets: []string{"holdpoint"}})
		test(t, openBucket(t, server.URL()), func(key, text string) { putObject(t, server, "holdpoint", "prod/eu/"+key, text) })
	})
}

func TestPutAndGet(t *testing.T) {
	s, dir := open(t)
	ctx := context.Background()
	d, err := s.Put(ctx, "acme", []byte("hello"))
	require.NoError(t, err)
	require.Equal(t, "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", d.String())
	require.FileExists(t, filepath.Join(dir, "acme", "2c", d.Hex()))
	got, err := s.Get(ctx, "acme", d, 5)
	require.NoError(t, err)
	require.Equal(t, "hello", string(got))

	entries, err := os.ReadDir(filepath.Join(dir, "acme", "2c"))
	require.NoError(t, err)
	require.Len(t, entries, 1, "one object is one file")
}

func TestChangedBytesAreNeverReturned(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, put func(key, text string)) {
		ctx := t.Context()
		d, err := s.Put(ctx, "acme", []byte("amount 82000"))
		require.NoError(t, err)
		key := "acme/" + d.Hex()[:2] + "/" + d.Hex()
		for _, tampered := range []string{"amount 820000", "amount 8200", "amount 92000", ""} {
			put(key, tampered)
			_, err = s.Get(ctx, "acme", d, 100)
			require.ErrorIs(t, err, blobs.ErrCorrupt, tampered)
		}
		_, err = s.Put(ctx, "acme", []byte("amount 82000"))
		require.NoError(t, err)
		_, err = s.Get(ctx, "acme", d, 100)
		require.NoError(t, err, "storing it again mends it")
	})
}

func TestTenantsShareNothing(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, _ func(key, text string)) {
		d, err := s.Put(t.Context(), "acme", []byte("secret"))
		require.NoError(t, err)
		_, err = s.Get(t.Context(), "other", d, 100)
		require.ErrorIs(t, err, blobs.ErrNotFound)
	})
}

func TestTenantNames(t *testing.T) {
	s, dir := open(t)
	for _, tenant := range []string{"a", "acme", "Acme-2_eu.west", strings.Repeat("a", 64)} {
		_, err := s.Put(t.Context(), tenant, []byte("x"))
		require.NoError(t, err, tenant)
	}
	before := files(t, dir)
	for _, tenant := range []string{
		"", "..", ".", "a/b", "../acme", "acme/..", "a\\b", ".git", "acme.", "a..b", "a b", "a\x00b", "a\n", "a%2fb",
		"客户", "a\xff", strings.Repeat("a", 65), "acme/2d/" + plan.Sum([]byte("x")).Hex(),
	} {
		_, err := s.Put(t.Context(), tenant, []byte("x"))
		require.ErrorIs(t, err, blobs.ErrTenant, "%q", tenant)
		_, err = s.Get(t.Context(), tenant, plan.Sum([]byte("x")), 100)
		require.ErrorIs(t, err, blobs.ErrTenant, "%q", tenant)
	}
	require.Equal(t, before, files(t, dir))
}

func TestLimits(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, _ func(key, text string)) {
		ctx := t.Context()
		d, err := s.Put(ctx, "acme", []byte("hello"))
		require.NoError(t, err)
		_, err = s.Get(ctx, "acme", d, 4)
		require.ErrorIs(t, err, blobs.ErrTooLarge)
		_, err = s.Get(ctx, "acme", d, math.MaxInt64)
		require.NoError(t, err)
		_, err = s.Get(ctx, "acme", plan.Sum([]byte("never stored")), 100)
		require.ErrorIs(t, err, blobs.ErrNotFound)
		empty, err := s.Put(ctx, "acme", nil)
		require.NoError(t, err)
		got, err := s.Get(ctx, "acme", empty, 0)
		require.NoError(t, err)
		require.Empty(t, got)
	})
}

func TestConcurrentPutsOfOneContent(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, _ func(key, text string)) {
		data := make([]byte, 1<<20)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				d, err := s.Put(t.Context(), "acme", data)
				assert.NoError(t, err)
				got, err := s.Get(t.Context(), "acme", d, 1<<20)
				assert.NoError(t, err)
				assert.Equal(t, data, got)
			})
		}
		wg.Wait()
	})
}
