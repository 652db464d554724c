package blobs_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/secrets"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
)

func text(t *testing.T, source string) secrets.Text {
	t.Helper()
	parsed, err := secrets.Parse(source)
	require.NoError(t, err)
	return parsed
}

// inBucket is a configuration for the bucket "holdpoint" at an endpoint.
func inBucket(t *testing.T, endpoint string) blobs.Config {
	t.Helper()
	t.Setenv("BLOBS_SECRET", "SECRET-VALUE")
	return blobs.Config{
		URL:       "s3://holdpoint/prod/eu?path_style=true&region=eu-central-1&endpoint=" + endpoint,
		AccessKey: text(t, "access"), SecretKey: text(t, "${env:BLOBS_SECRET}"),
	}
}

func openBucket(t *testing.T, endpoint string) *blobs.Store {
	t.Helper()
	s, err := inBucket(t, endpoint).Open()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func client(t *testing.T, server *objectserver.Server) *minio.Client {
	t.Helper()
	c, err := minio.New(server.Address(), &minio.Options{Creds: credentials.NewStaticV4("a", "b", ""), Region: "us-east-1"})
	require.NoError(t, err)
	return c
}

func putObject(t *testing.T, server *objectserver.Server, bucket, key, text string) {
	t.Helper()
	_, err := client(t, server).PutObject(t.Context(), bucket, key, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{DisableContentSha256: true})
	require.NoError(t, err)
}

func TestLayoutInABucket(t *testing.T) {
	server := objectserver.Start(t, objectserver.Options{Buckets: []string{"holdpoint"}})
	s := openBucket(t, server.URL())
	d, err := s.Put(t.Context(), "acme", []byte("hello"))
	require.NoError(t, err)
	require.NoError(t, s.PutNamed(t.Context(), "acme", "replies/1", []byte("x")))
	var keys []string
	for object := range client(t, server).ListObjectsIter(t.Context(), "holdpoint", minio.ListObjectsOptions{Recursive: true}) {
		require.NoError(t, object.Err)
		keys = append(keys, object.Key)
	}
	require.Equal(t, []string{"prod/eu/acme/2c/" + d.Hex(), "prod/eu/acme/named/replies/1"}, keys)
}

// What one machine has put there, another one reads.
func TestTwoStoresOfOneBucket(t *testing.T) {
	server := objectserver.Start(t, objectserver.Options{Buckets: []string{"holdpoint"}})
	starter, worker := openBucket(t, server.URL()), openBucket(t, server.URL())
	big := make([]byte, 20<<20) // more than one part of an upload in parts
	copy(big, "notes")
	d, err := starter.Put(t.Context(), "acme", big)
	require.NoError(t, err)
	got, err := worker.Get(t.Context(), "acme", d, int64(len(big)))
	require.NoError(t, err)
	require.Equal(t, plan.Sum(big), plan.Sum(got))
}

// A bucket that is not there is no blob that is not there.
func TestMissingBucket(t *testing.T) {
	server := objectserver.Start(t, objectserver.Options{Buckets: []string{"another"}})
	s := openBucket(t, server.URL())
	want := "the bucket holdpoint is not at " + server.Address()
	_, err := s.Get(t.Context(), "acme", plan.Sum(nil), 10)
	require.ErrorContains(t, err, want)
	require.NotErrorIs(t, err, blobs.ErrNotFound)
	_, err = s.Put(t.Context(), "acme", nil)
	require.ErrorContains(t, err, want)
	require.ErrorContains(t, s.PutNamed(t.Context(), "acme", "a", nil), want)
	_, err = s.ListNamed(t.Context(), "acme", "")
	require.ErrorContains(t, err, want)
}

// An answer that says nothing about the object is not taken for "not there",
// and what stands in it is not quoted.
func TestAnswersOfTrouble(t *testing.T) {
	const xml = `<?xml version="1.0"?><Error><Code>CODE</Code><Message>ECHOED-SECRET</Message></Error>`
	for _, answer := range []struct {
		status     int
		body, want string
	}{
		{403, strings.Replace(xml, "CODE", "AccessDenied", 1), "answered 403 AccessDenied"},
		{400, strings.Replace(xml, "CODE", "Bad ECHOED-SECRET", 1), "answered 400"},
		{503, "<html>ECHOED-SECRET</html>", "answered 503"},
		{307, "", "answered 307"},
	} {
		var asked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.Header().Set("Location", "http://127.0.0.1:1/ECHOED-SECRET")
			w.WriteHeader(answer.status)
			w.Write([]byte(answer.body))
		}))
		defer server.Close()
		s := openBucket(t, server.URL)
		_, getErr := s.Get(t.Context(), "acme", plan.Sum(nil), 10)
		require.Positive(t, asked.Load())
		require.LessOrEqual(t, asked.Load(), int32(3), "the step is repeated, not the request")
		_, listErr := s.ListNamed(t.Context(), "acme", "")
		for _, err := range []error{getErr, s.PutNamed(t.Context(), "acme", "a", nil), listErr} {
			require.ErrorContains(t, err, answer.want)
			require.NotErrorIs(t, err, blobs.ErrNotFound)
			require.NotContains(t, err.Error(), "SECRET")
			require.NotContains(t, err.Error(), "?")
		}
	}
}

func TestHalfAnAnswerIsNoBlob(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		w.Header().Set("Last-Modified", "Sun, 29 Nov 2026 10:00:00 GMT")
		w.Header().Set("ETag", `"0"`)
		w.Write([]byte("hello"))
	}))
	defer server.Close()
	_, err := openBucket(t, server.URL).Get(t.Context(), "acme", plan.Sum([]byte("hello")), 100)
	require.ErrorContains(t, err, "gave no whole answer")
}

func TestBucketThatIsAway(t *testing.T) {
	server := objectserver.Start(t, objectserver.Options{Buckets: []string{"holdpoint"}})
	s := openBucket(t, server.URL())
	d, err := s.Put(t.Context(), "acme", []byte("hello"))
	require.NoError(t, err)
	require.NoError(t, server.Kill())
	_, err = s.Get(t.Context(), "acme", d, 10)
	require.ErrorContains(t, err, server.Address()+" gave no whole answer")
	require.NotErrorIs(t, err, blobs.ErrNotFound)

	late, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err = s.Get(late, "acme", d, 10)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	require.NoError(t, server.Start(t.Context()))
	_, err = s.Get(t.Context(), "acme", d, 10)
	require.NoError(t, err)
}

// Keys are read for each request, and a missing one is named by its reference.
func TestKeysAreReadAnew(t *testing.T) {
	var signed atomic.Value
	server := objectserver.Start(t, objectserver.Options{Buckets: []string{"holdpoint"}})
	behind, err := url.Parse(server.URL())
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(behind)
	watch := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		signed.Store(r.Header.Get("Authorization"))
		proxy.ServeHTTP(w, r)
	}))
	defer watch.Close()

	c := inBucket(t, watch.URL)
	file := filepath.Join(t.TempDir(), "access")
	require.NoError(t, os.WriteFile(file, []byte("first"), 0o600))
	c.AccessKey = text(t, "${file:"+file+"}")
	s, err := c.Open()
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.PutNamed(t.Context(), "acme", "a", nil))
	require.Contains(t, signed.Load(), "Credential=first/")
	require.NoError(t, os.WriteFile(file, []byte("second"), 0o600))
	require.NoError(t, s.PutNamed(t.Context(), "acme", "a", nil))
	require.Contains(t, signed.Load(), "Credential=second/")
	require.Contains(t, signed.Load(), "/eu-central-1/s3/")

	require.NoError(t, os.Unsetenv("BLOBS_SECRET"))
	err = s.PutNamed(t.Context(), "acme", "a", nil)
	require.ErrorContains(t, err, "the environment variable BLOBS_SECRET is not set")
}

func TestCertificates(t *testing.T) {
	objects := objectserver.Start(t, objectserver.Options{Buckets: []string{"holdpoint"}})
	behind, err := url.Parse(objects.URL())
	require.NoError(t, err)
	server := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(behind))
	defer server.Close()

	stranger := openBucket(t, server.URL)
	require.ErrorContains(t, stranger.PutNamed(t.Context(), "acme", "a", nil), "has a certificate that is not trusted for this name")

	c := inBucket(t, server.URL)
	c.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	_, err = c.Open()
	require.ErrorContains(t, err, "the ca_file cannot be read")
	require.NoError(t, os.WriteFile(c.CAFile, []byte("none"), 0o600))
	_, err = c.Open()
	require.ErrorContains(t, err, "no certificate in PEM form")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(c.CAFile, certificate, 0o600))
	s, err := c.Open()
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.PutNamed(t.Context(), "acme", "a", nil))
}
