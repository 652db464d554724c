package blobs_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

func TestEntryIsReplaced(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, _ func(key, text string)) {
		const name = "spend/2026-11/ab/call-1.json"
		_, err := s.GetNamed(t.Context(), "acme", name, 100)
		require.ErrorIs(t, err, blobs.ErrNotFound)
		for _, text := range []string{"reserved", "settled, and longer", "", "x"} {
			require.NoError(t, s.PutNamed(t.Context(), "acme", name, []byte(text)))
			got, err := s.GetNamed(t.Context(), "acme", name, int64(len(text)))
			require.NoError(t, err)
			require.Equal(t, text, string(got))
		}
		_, err = s.GetNamed(t.Context(), "acme", name, 0)
		require.ErrorIs(t, err, blobs.ErrTooLarge)
		_, err = s.GetNamed(t.Context(), "acme", name, math.MaxInt64)
		require.NoError(t, err)
		_, err = s.GetNamed(t.Context(), "acme", "spend/2026-11", 100)
		require.ErrorIs(t, err, blobs.ErrNotFound, "what other names begin with is no entry")
		_, err = s.GetNamed(t.Context(), "other", name, 100)
		require.ErrorIs(t, err, blobs.ErrNotFound, "tenants share nothing")
	})
}

// The stored form is one that other programs may read, and old entries must
// stay readable. printf 'acme\nreplies/1\nhello' | sha256sum gives the digest.
func TestEntryAsItIsStored(t *testing.T) {
	s, dir := open(t)
	require.NoError(t, s.PutNamed(t.Context(), "acme", "replies/1", []byte("hello")))
	raw, err := os.ReadFile(filepath.Join(dir, "acme", "named", "replies", "1"))
	require.NoError(t, err)
	require.Equal(t, "holdpoint.entry/1 sha256:6e53e502c76e7a3b0a5a9beae1c82957331569a10b179f9a68b7427f300ad663\nhello", string(raw))
}

func TestDamagedEntryIsNeverReturned(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, put func(key, text string)) {
		require.NoError(t, s.PutNamed(t.Context(), "acme", "a/1", []byte("paid 5")))
		whole := "holdpoint.entry/1 sha256:" + plan.Sum([]byte("acme\na/1\npaid 5")).Hex() + "\npaid 5"
		put("acme/named/a/1", whole)
		_, err := s.GetNamed(t.Context(), "acme", "a/1", 100)
		require.NoError(t, err, "so that what follows is refused for the damage alone")
		for what, text := range map[string]string{
			"changed": strings.Replace(whole, "paid 5", "paid 0", 1), "longer": whole + "0", "shorter": whole[:len(whole)-1],
			"without data": whole[:len(whole)-6], "half a heading": whole[:40], "empty": "", "without heading": "paid 5",
			"another format": strings.Replace(whole, "entry/1", "entry/2", 1),
		} {
			put("acme/named/a/1", text)
			_, err := s.GetNamed(t.Context(), "acme", "a/1", 100)
			require.ErrorIs(t, err, blobs.ErrCorrupt, what)
		}
		put("acme/named/a/2", whole)
		_, err = s.GetNamed(t.Context(), "acme", "a/2", 100)
		require.ErrorIs(t, err, blobs.ErrCorrupt, "copied to another name")
		put("other/named/a/1", whole)
		_, err = s.GetNamed(t.Context(), "other", "a/1", 100)
		require.ErrorIs(t, err, blobs.ErrCorrupt, "copied to another tenant")
		require.NoError(t, s.PutNamed(t.Context(), "acme", "a/1", []byte("paid 6")))
		_, err = s.GetNamed(t.Context(), "acme", "a/1", 100)
		require.NoError(t, err, "writing it again mends it")
	})
}

func TestListNamed(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, put func(key, text string)) {
		names, err := s.ListNamed(t.Context(), "acme", "")
		require.NoError(t, err)
		require.Empty(t, names)
		for _, name := range []string{"spend/2026-12/b", "spend/2026-11/b/2", "spend/2026-11/a", "spend/2026-11/b/1", "replies/1", "spend/2026-110"} {
			require.NoError(t, s.PutNamed(t.Context(), "acme", name, nil))
		}
		require.NoError(t, s.PutNamed(t.Context(), "other", "spend/2026-11/foreign", nil))
		_, err = s.Put(t.Context(), "acme", []byte("a blob is no entry"))
		require.NoError(t, err)
		put("acme/named/spend/2026-11/a.1234.tmp", "what a writer that died left there")
		put("acme/named/spend/2026-11/not a name", "")
		for prefix, want := range map[string][]string{
			"": {
				"replies/1", "spend/2026-11/a", "spend/2026-11/b/1", "spend/2026-11/b/2", "spend/2026-110", "spend/2026-12/b",
			},
			"spend/2026-11/":    {"spend/2026-11/a", "spend/2026-11/b/1", "spend/2026-11/b/2"},
			"spend/2026-11":     {"spend/2026-11/a", "spend/2026-11/b/1", "spend/2026-11/b/2", "spend/2026-110"},
			"spend/2026-11/b/":  {"spend/2026-11/b/1", "spend/2026-11/b/2"},
			"spend/2026-11/b/2": {"spend/2026-11/b/2"},
			"sp":                {"spend/2026-11/a", "spend/2026-11/b/1", "spend/2026-11/b/2", "spend/2026-110", "spend/2026-12/b"},
			"spend/2027-01/":    {},
			"replies/1/":        {},
		} {
			names, err := s.ListNamed(t.Context(), "acme", prefix)
			require.NoError(t, err)
			require.Equal(t, want, names, "prefix %q", prefix)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = s.ListNamed(ended, "acme", "")
		require.ErrorIs(t, err, context.Canceled, "a list that was interrupted is not taken for a whole one")
	})
}

// A page of S3 has 1,000 names.
func TestLongList(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, put func(key, text string)) {
		for i := range 1100 {
			put(fmt.Sprintf("acme/named/n/%d", i), "")
		}
		names, err := s.ListNamed(t.Context(), "acme", "n/")
		require.NoError(t, err)
		require.Len(t, names, 1100)
		require.IsIncreasing(t, names)
	})
}

// badName is in the error of a name that an entry cannot have.
const badName = "a name has parts of 1 to 128 letters"

func TestEntryNames(t *testing.T) {
	s, dir := open(t)
	long := strings.Repeat("a", 128)
	for _, name := range []string{"a", "A-z_0.9", "a/b/c", "x.tmp.json", long, strings.Join([]string{long, long, long, long[:123]}, "/")} { // and "/x"
		require.NoError(t, s.PutNamed(t.Context(), "acme", name+"/x", nil), name)
	}
	before := files(t, dir)
	for _, name := range []string{
		"", "/a", "a/", "a//b", ".", "..", "a/../b", "../acme/named/a", "a/..", "a..b", ".a", "a.", "a/.b/c", `a\b`, "a b", "a\x00", "a\n",
		"a%2fb", "页", "a\xff", "a+b", "a:b", "a.tmp", "a.tmp/b", "C:/x", long + "a", strings.Repeat("a/", 256) + "a",
	} {
		require.ErrorContains(t, s.PutNamed(t.Context(), "acme", name, nil), badName, "%q", name)
		_, err := s.GetNamed(t.Context(), "acme", name, 10)
		require.ErrorContains(t, err, badName, "%q", name)
	}
	for _, prefix := range []string{"/", "../", "a/../", "a//", ".", "a/..", "a b"} {
		_, err := s.ListNamed(t.Context(), "acme", prefix)
		require.ErrorContains(t, err, badName, "%q", prefix)
	}
	for _, tenant := range []string{"", "..", "a/b", "named/x"} {
		require.ErrorIs(t, s.PutNamed(t.Context(), tenant, "a", nil), blobs.ErrTenant)
		_, err := s.GetNamed(t.Context(), tenant, "a", 10)
		require.ErrorIs(t, err, blobs.ErrTenant)
		_, err = s.ListNamed(t.Context(), tenant, "")
		require.ErrorIs(t, err, blobs.ErrTenant)
	}
	require.Equal(t, before, files(t, dir))
}

// Whatever is read while others write is one of the entries that were written.
func TestConcurrentWritersOfOneEntry(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, _ func(key, text string)) {
		const writers, times = 8, 20
		text := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 1+i*5000) }
		require.NoError(t, s.PutNamed(t.Context(), "acme", "one", text(0)))
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				for range times {
					assert.NoError(t, s.PutNamed(t.Context(), "acme", "one", text(i)))
					got, err := s.GetNamed(t.Context(), "acme", "one", 1<<20)
					if assert.NoError(t, err) && assert.NotEmpty(t, got) {
						assert.Equal(t, text(int(got[0]-'a')), got)
					}
				}
			})
		}
		wg.Wait()
		names, err := s.ListNamed(t.Context(), "acme", "")
		require.NoError(t, err)
		require.Equal(t, []string{"one"}, names)
	})
}

// replacerVariable makes this test binary a process that replaces one entry,
// until it is killed.
const replacerVariable = "HOLDPOINT_TEST_ENTRY_REPLACER"

func replaceForever(location string) error {
	s, err := blobs.Config{URL: location}.Open()
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		if err := s.PutNamed(context.Background(), "acme", "one", replaced(i)); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

func replaced(i int) []byte { return append(fmt.Appendf(nil, "%d\n", i), make([]byte, 1<<18)...) }

// Under an entry's name there is always a whole one, whenever the writer is
// killed: the last that PutNamed has returned for, or the one after it.
func TestKilledWriterLeavesAWholeEntry(t *testing.T) {
	s, dir := open(t)
	for range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), replacerVariable+"=file://"+dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for range 1 + rand.IntN(20) {
			require.True(t, lines.Scan())
		}
		require.NoError(t, cmd.Process.Kill())
		last := lines.Text()
		for lines.Scan() { // what it still said before it died
			last = lines.Text()
		}
		require.Error(t, cmd.Wait())

		got, err := s.GetNamed(t.Context(), "acme", "one", 1<<20)
		require.NoError(t, err)
		var returned int
		_, err = fmt.Sscan(last, &returned)
		require.NoError(t, err)
		require.Contains(t, []string{string(replaced(returned)), string(replaced(returned + 1))}, string(got))
		names, err := s.ListNamed(t.Context(), "acme", "")
		require.NoError(t, err)
		require.Equal(t, []string{"one"}, names, "what was not finished is no entry")
	}
}

func TestInterruptedPutNamedLeavesTheOldEntry(t *testing.T) {
	onEach(t, func(t *testing.T, s *blobs.Store, _ func(key, text string)) {
		require.NoError(t, s.PutNamed(t.Context(), "acme", "one", []byte("old")))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, s.PutNamed(ended, "acme", "one", []byte("new")), context.Canceled)
		got, err := s.GetNamed(t.Context(), "acme", "one", 10)
		require.NoError(t, err)
		require.Equal(t, "old", string(got))
	})
}
