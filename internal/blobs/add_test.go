package blobs_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
)

// requireFirst is that the first entry of a name stands.
func requireFirst(t *testing.T, s *blobs.Store) {
	t.Helper()
	const name = "replies/1"
	require.NoError(t, s.AddNamed(t.Context(), "acme", name, []byte("nope")))
	for _, text := range []string{"sure", "", "nope"} {
		require.ErrorIs(t, s.AddNamed(t.Context(), "acme", name, []byte(text)), blobs.ErrExists)
		got, err := s.GetNamed(t.Context(), "acme", name, 10)
		require.NoError(t, err)
		require.Equal(t, "nope", string(got))
	}
	names, err := s.ListNamed(t.Context(), "acme", "")
	require.NoError(t, err)
	require.Equal(t, []string{name}, names)
}

func TestTheFirstEntryStands(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, put func(key, text string)) {
		requireFirst(t, s)
		require.NoError(t, s.AddNamed(t.Context(), "other", "replies/1", []byte("sure")), "tenants share nothing")
		require.NoError(t, s.PutNamed(t.Context(), "acme", "replies/1", []byte("put")))
		got, err := s.GetNamed(t.Context(), "acme", "replies/1", 10)
		require.NoError(t, err)
		require.Equal(t, "put", string(got), "who wants to replace it can")

		put("acme/named/replies/2", "damaged")
		require.ErrorIs(t, s.AddNamed(t.Context(), "acme", "replies/2", nil), blobs.ErrExists)
		_, err = s.GetNamed(t.Context(), "acme", "replies/2", 10)
		require.ErrorIs(t, err, blobs.ErrCorrupt, "it is not mended without a word")
		require.ErrorContains(t, s.AddNamed(t.Context(), "acme", "../x", nil), badName)
	})
}

// A file system without links, such as that of a memory stick.
func TestTheFirstEntryStandsWithoutLinks(t *testing.T) {
	s, dir := open(t)
	blobs.WithoutLinks(s)
	requireFirst(t, s)
	require.Len(t, files(t, dir), 1, "nothing else is left")
}

// Of many writers of one entry one is the first, and all others know.
func TestConcurrentAddersOfOneEntry(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, _ func(key, text string)) {
		for round := range 10 {
			name := fmt.Sprint("replies/", round)
			text := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 1+i*5000) }
			var first atomic.Int32
			first.Store(-1)
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					err := s.AddNamed(t.Context(), "acme", name, text(i))
					if err == nil {
						assert.True(t, first.CompareAndSwap(-1, int32(i)), "two are the first")
						return
					}
					assert.ErrorIs(t, err, blobs.ErrExists)
					_, err = s.GetNamed(t.Context(), "acme", name, 1<<20)
					assert.NoError(t, err, "whoever is told that it is there finds it")
				})
			}
			wg.Wait()
			require.NotEqual(t, int32(-1), first.Load())
			got, err := s.GetNamed(t.Context(), "acme", name, 1<<20)
			require.NoError(t, err)
			require.Equal(t, text(int(first.Load())), got)
		}
	})
}

func TestInterruptedAddNamedLeavesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, _ func(key, text string)) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, s.AddNamed(ended, "acme", "one", []byte("new")), context.Canceled)
		names, err := s.ListNamed(t.Context(), "acme", "")
		require.NoError(t, err)
		require.Empty(t, names)
	})
}

func TestAddedEntryIsOneFile(t *testing.T) {
	s, dir := open(t)
	require.NoError(t, s.AddNamed(t.Context(), "acme", "replies/1", []byte("hello")))
	require.Equal(t, []string{filepath.Join(dir, "acme", "named", "replies", "1")}, files(t, dir))
	raw, err := os.ReadFile(filepath.Join(dir, "acme", "named", "replies", "1"))
	require.NoError(t, err)
	require.Equal(t, "holdpoint.entry/1 sha256:6e53e502c76e7a3b0a5a9beae1c82957331569a10b179f9a68b7427f300ad663\nhello", string(raw))
}

// before is a server in front of an object store. write is asked for each conditional
// write: it passes it on, or answers it.
func before(t *testing.T, write func(w http.ResponseWriter, r *http.Request, pass http.Handler)) (*blobs.Store, *objectserver.Server) {
	t.Helper()
	objects := objectserver.Start(t, objectserver.Options{Buckets: []string{"holdpoint"}})
	behind, err := url.Parse(objects.URL())
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(behind)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == "*" {
			write(w, r, proxy)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return openBucket(t, server.URL), objects
}

// refusing answers a write as S3 does.
func refusing(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code></Error>`, code)
}

// Stores that do not know the condition: they say so, or make the write all the same.
func TestTheFirstEntryStandsInAStoreWithoutConditions(t *testing.T) {
	for name, write := range map[string]func(w http.ResponseWriter, r *http.Request, pass http.Handler){
		"501": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { refusing(w, 501, "NotImplemented") },
		"400": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { refusing(w, 400, "NotImplemented") },
		"it ignores it": func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
			r.Header.Del("If-None-Match")
			pass.ServeHTTP(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := before(t, write)
			requireFirst(t, s)
		})
	}
}

// What came between the look and the write is seen by the condition.
func TestEntryThatComesAfterTheLookStands(t *testing.T) {
	var objects *objectserver.Server
	s, server := before(t, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		putObject(t, objects, "holdpoint", "prod/eu/acme/named/one", "another's")
		pass.ServeHTTP(w, r)
	})
	objects = server
	require.ErrorIs(t, s.AddNamed(t.Context(), "acme", "one", []byte("late")), blobs.ErrExists)
	_, err := s.GetNamed(t.Context(), "acme", "one", 100)
	require.ErrorIs(t, err, blobs.ErrCorrupt, "the other's words stay")
}

// A store that does not know yet what becomes of another write is asked again.
func TestWriteBesideAnother(t *testing.T) {
	var asked atomic.Int32
	s, _ := before(t, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if asked.Add(1) < 3 {
			refusing(w, 409, "ConditionalRequestConflict")
			return
		}
		pass.ServeHTTP(w, r)
	})
	require.NoError(t, s.AddNamed(t.Context(), "acme", "one", []byte("x")))
	got, err := s.GetNamed(t.Context(), "acme", "one", 10)
	require.NoError(t, err)
	require.Equal(t, "x", string(got))

	s, _ = before(t, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { refusing(w, 409, "OperationAborted") })
	require.ErrorContains(t, s.AddNamed(t.Context(), "acme", "one", nil), "answered 409 OperationAborted")
	s, _ = before(t, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { refusing(w, 403, "AccessDenied") })
	require.ErrorContains(t, s.AddNamed(t.Context(), "acme", "one", nil), "answered 403 AccessDenied")
}

// The answer to a write that was made is lost: the entry is there, whoever wrote it.
func TestLostAnswerToAnAddedEntry(t *testing.T) {
	var asked atomic.Int32
	s, _ := before(t, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if asked.Add(1) == 1 {
			pass.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		pass.ServeHTTP(w, r)
	})
	require.ErrorIs(t, s.AddNamed(t.Context(), "acme", "one", []byte("mine")), blobs.ErrExists)
	got, err := s.GetNamed(t.Context(), "acme", "one", 10)
	require.NoError(t, err)
	require.Equal(t, "mine", string(got))
}
