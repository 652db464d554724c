package objectserver_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
)

func client(t *testing.T, s *objectserver.Server) *minio.Client {
	t.Helper()
	c, err := minio.New(s.Address(), &minio.Options{Creds: credentials.NewStaticV4("a", "b", ""), Region: "us-east-1", MaxRetries: 1})
	require.NoError(t, err)
	return c
}

func put(ctx context.Context, c *minio.Client, text string, options minio.PutObjectOptions) (minio.UploadInfo, error) {
	return c.PutObject(ctx, "reports", "a/b.txt", strings.NewReader(text), int64(len(text)), options)
}

func read(t *testing.T, c *minio.Client) string {
	t.Helper()
	object, err := c.GetObject(t.Context(), "reports", "a/b.txt", minio.GetObjectOptions{})
	require.NoError(t, err)
	text, err := io.ReadAll(object)
	require.NoError(t, err)
	return string(text)
}

func TestRestartKeepsAddressAndObjects(t *testing.T) {
	s := objectserver.Start(t, objectserver.Options{Buckets: []string{"reports"}})
	c, address := client(t, s), s.Address()
	_, err := put(t.Context(), c, "one", minio.PutObjectOptions{UserMetadata: map[string]string{"Holdpoint-Key": "k"}})
	require.NoError(t, err)
	for name, end := range map[string]func() error{"stop": s.Stop, "kill": s.Kill} {
		require.NoError(t, end(), name)
		require.NoError(t, end(), name)
		_, err := net.Dial("tcp", address)
		require.Error(t, err, name)
		require.NoError(t, s.Start(t.Context()), name)
		require.NoError(t, s.Start(t.Context()), name)
		require.Equal(t, address, s.Address())
		require.Equal(t, "one", read(t, c))
	}
	require.Equal(t, 1, s.Writes("holdpoint-key", "k"))
	require.Zero(t, s.Writes("holdpoint-key", "other"))
}

// The store is as strict as S3: of many writes under one condition one is made.
func TestConditionsAreKept(t *testing.T) {
	s := objectserver.Start(t, objectserver.Options{Buckets: []string{"reports"}})
	c := client(t, s)
	race := func(options minio.PutObjectOptions) int {
		options.UserMetadata = map[string]string{"Holdpoint-Key": "race"}
		var all sync.WaitGroup
		var made atomic.Int32
		for range 16 {
			all.Go(func() {
				if _, err := put(t.Context(), c, "raced", options); err == nil {
					made.Add(1)
				} else if minio.ToErrorResponse(err).StatusCode != http.StatusPreconditionFailed {
					t.Error(err)
				}
			})
		}
		all.Wait()
		return int(made.Load())
	}
	var fresh minio.PutObjectOptions
	fresh.SetMatchETagExcept("*")
	require.Equal(t, 1, race(fresh))

	// What a write does not say is gone with what it replaces.
	info, err := put(t.Context(), c, "two", minio.PutObjectOptions{})
	require.NoError(t, err)
	found, err := c.StatObject(t.Context(), "reports", "a/b.txt", minio.StatObjectOptions{})
	require.NoError(t, err)
	require.Empty(t, found.UserMetadata["Holdpoint-Key"])

	var same minio.PutObjectOptions
	same.SetMatchETag(info.ETag)
	require.Equal(t, 1, race(same))
	require.Equal(t, 2, s.Writes("holdpoint-key", "race"))
	require.Equal(t, "raced", read(t, c))
}

func TestVersions(t *testing.T) {
	s := objectserver.Start(t, objectserver.Options{Buckets: []string{"reports"}, Versioned: true})
	c := client(t, s)
	first, err := put(t.Context(), c, "one", minio.PutObjectOptions{UserMetadata: map[string]string{"Holdpoint-Key": "k"}})
	require.NoError(t, err)
	require.NotEmpty(t, first.VersionID)
	_, err = put(t.Context(), c, "two", minio.PutObjectOptions{})
	require.NoError(t, err)
	found, err := c.StatObject(t.Context(), "reports", "a/b.txt", minio.StatObjectOptions{VersionID: first.VersionID})
	require.NoError(t, err)
	require.Equal(t, "k", found.UserMetadata["Holdpoint-Key"])
}
