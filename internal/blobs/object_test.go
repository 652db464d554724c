package blobs_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

func TestBytesOfAnObject(t *testing.T) {
	broken := errors.New("the disk is gone")
	for name, tt := range map[string]struct {
		content     io.Reader
		size, limit int64
		want        string
		err         error
	}{
		"whole":                    {strings.NewReader("hello"), 5, 5, "hello", nil},
		"in pieces":                {iotest.OneByteReader(strings.NewReader("hello")), 5, 5, "hello", nil},
		"over the limit":           {strings.NewReader("hello"), 5, 4, "", blobs.ErrTooLarge},
		"empty":                    {strings.NewReader(""), 0, 0, "", nil},
		"became longer":            {strings.NewReader("hello, and more"), 5, 100, "hello", nil},
		"became shorter":           {strings.NewReader("hel"), 5, 100, "", blobs.ErrCorrupt},
		"became empty":             {strings.NewReader(""), 5, 100, "", blobs.ErrCorrupt},
		"broken":                   {io.MultiReader(strings.NewReader("hel"), iotest.ErrReader(broken)), 5, 100, "", broken},
		"no size":                  {strings.NewReader("hello"), -1, 5, "hello", nil},
		"no size, over the limit":  {strings.NewReader("hello"), -1, 4, "", blobs.ErrTooLarge},
		"no size, and broken":      {iotest.ErrReader(broken), -1, 5, "", broken},
		"no size, and any is read": {strings.NewReader("hello"), -1, 1<<63 - 1, "hello", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := blobs.BytesOf(tt.content, tt.size, tt.limit)
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.want, string(got))
		})
	}
}

// A blob that is there already is compared without a second copy in memory, and one
// that is read has one.
func TestMemory_OfABlob(t *testing.T) {
	data := make([]byte, 32<<20)
	digest := plan.Sum(data)
	inFolder, _ := open(t)
	_, err := inFolder.Put(t.Context(), "acme", data)
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s of what is there", r.Method)
		}
		w.Header().Set("ETag", `"0"`)
		http.ServeContent(w, r, "", time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC), bytes.NewReader(data))
	}))
	defer server.Close()
	for name, s := range map[string]*blobs.Store{"folder": inFolder, "bucket": openBucket(t, server.URL)} {
		t.Run(name, func(t *testing.T) {
			require.Less(t, allocated(func() {
				got, err := s.Put(t.Context(), "acme", data)
				require.NoError(t, err)
				require.Equal(t, digest, got)
			}), uint64(len(data)/8))
			require.Less(t, allocated(func() {
				got, err := s.Get(t.Context(), "acme", digest, int64(len(data)))
				require.NoError(t, err)
				require.Len(t, got, len(data))
			}), uint64(len(data)+len(data)/8))
		})
	}
}

// allocated is how many bytes were taken meanwhile.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// What stands between may take an object's size away.
func TestObjectWithoutASize(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"0"`)
		w.Header().Set("Last-Modified", "Sun, 29 Nov 2026 10:00:00 GMT")
		w.(http.Flusher).Flush()
		w.Write([]byte("hello"))
	}))
	defer server.Close()
	s := openBucket(t, server.URL)
	digest := plan.Sum([]byte("hello"))
	got, err := s.Get(t.Context(), "acme", digest, 5)
	require.NoError(t, err)
	require.Equal(t, "hello", string(got))
	_, err = s.Get(t.Context(), "acme", digest, 4)
	require.ErrorIs(t, err, blobs.ErrTooLarge)
	_, err = s.Put(t.Context(), "acme", []byte("hello"))
	require.NoError(t, err, "it is there")
}
