package blobs_test

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

// writerVariable makes this test binary a process that stores blobs in the
// store that it names, until it is killed.
const writerVariable = "HOLDPOINT_TEST_BLOB_WRITER"

func TestMain(m *testing.M) {
	if location := os.Getenv(writerVariable); location != "" {
		fmt.Fprintln(os.Stderr, storeForever(location))
		os.Exit(1)
	}
	if location := os.Getenv(replacerVariable); location != "" {
		fmt.Fprintln(os.Stderr, replaceForever(location))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func storeForever(location string) error {
	s, err := blobs.Config{URL: location}.Open()
	if err != nil {
		return err
	}
	data := make([]byte, 1<<20)
	for i := 0; ; i++ {
		copy(data, fmt.Sprint(os.Getpid(), i))
		d, err := s.Put(context.Background(), "acme", data)
		if err != nil {
			return err
		}
		fmt.Println(d)
	}
}

// Under a blob's own name there is a whole blob or none, whenever the writer
// is killed; and what Put has returned is there.
func TestKilledWriterLeavesNoHalfBlob(t *testing.T) {
	s, dir := open(t)
	for range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), writerVariable+"=file://"+dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		var stored []plan.Digest
		for range 1 + rand.IntN(8) {
			require.True(t, lines.Scan())
			d, err := plan.ParseDigest(lines.Text())
			require.NoError(t, err)
			stored = append(stored, d)
		}
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		for _, d := range stored {
			_, err := s.Get(t.Context(), "acme", d, 1<<20)
			require.NoError(t, err)
		}
	}
	for _, path := range files(t, dir) {
		if strings.HasSuffix(path, ".tmp") {
			continue // never read, because no digest is its name
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, filepath.Base(path), plan.Sum(data).Hex())
	}
}

func TestInterruptedPutLeavesNothing(t *testing.T) {
	s, dir := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Put(ctx, "acme", []byte("hello"))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, files(t, dir))
	_, err = s.Get(ctx, "acme", plan.Sum([]byte("hello")), 5)
	require.Error(t, err)
}

func TestStoreIsPrivate(t *testing.T) {
	s, dir := open(t)
	d, err := s.Put(t.Context(), "acme", []byte("hello"))
	require.NoError(t, err)
	for _, folder := range []string{dir, filepath.Join(dir, "acme"), filepath.Join(dir, "acme", d.Hex()[:2])} {
		info, err := os.Stat(folder)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), folder)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, location := range []string{
		"", "/var/lib/blobs", "file://blobs", "file://./blobs", "file://host/blobs", "file:blobs", "mem://", "s3://bucket", // which needs keys
		"file:///blobs?metadata=skip", "file:///blobs#x", "file:///%zz",
	} {
		t.Run(location, func(t *testing.T) {
			_, err := blobs.Config{URL: location}.Open()
			require.ErrorContains(t, err, "blob store: ")
		})
	}
	t.Run("no secrets in the text", func(t *testing.T) {
		_, err := blobs.Config{URL: "s3://user:PASSWORD@bucket?secret=PASSWORD"}.Open()
		require.Error(t, err)
		require.NotContains(t, err.Error(), "PASSWORD")
	})
	t.Run("a file in the folder's place", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		_, err := blobs.Config{URL: "file://" + path}.Open()
		require.ErrorContains(t, err, "not a directory")
	})
}

func TestOpenTakesAnyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "100% 周报?#")
	location := url.URL{Scheme: "file", Path: dir}
	s, err := blobs.Config{URL: location.String()}.Open()
	require.NoError(t, err)
	defer s.Close()
	d, err := s.Put(t.Context(), "acme", []byte("hello"))
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(dir, "acme", "2c", d.Hex()))
}

// files returns the paths of all files below dir.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	}))
	return all
}
