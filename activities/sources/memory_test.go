package sources

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The folder that a process of this test's program collects, and nothing else.
const collectFolder = "HOLDPOINT_TEST_COLLECT"

func TestMain(m *testing.M) {
	if root := os.Getenv(collectFolder); root != "" {
		if err := collectAlone(root); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func collectAlone(root string) error {
	c := Collector{Limits: Limits{MaxFileBytes: 16 << 20, MaxTotalBytes: 4 << 30, MaxEntries: 200_000}, Store: drain{}}
	m, err := c.Collect(context.Background(), []Selection{notes(root)})
	if err != nil {
		return err
	}
	raw, err := m.Canonical()
	if err != nil {
		return err
	}
	digest, err := m.ContextDigest()
	if err != nil {
		return err
	}
	fmt.Printf("%d read, %d bytes, manifest of %d bytes, %s\n", m.Read, m.Bytes, len(raw), digest)
	status, err := os.ReadFile("/proc/self/status") // VmHWM: see proc(5)
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM:") {
			fmt.Print(line)
		}
	}
	return err
}

// drain is a store that keeps nothing.
type drain struct{}

func (drain) Put(_ context.Context, data []byte) (plan.Digest, error) { return plan.Sum(data), nil }

func (drain) Get(context.Context, plan.Digest, int64) ([]byte, error) {
	return nil, &faults.Fault{Class: faults.Permanent, Code: "blob_missing"}
}

// peak collects a folder in a process of its own and returns the most memory
// that it had, in bytes.
func peak(t *testing.T, root string) (rss int64, says string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says how much memory a process had at most without what its parent had")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), collectFolder+"="+root)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	_, text, ok := strings.Cut(string(out), "VmHWM:")
	require.True(t, ok)
	_, err = fmt.Sscanf(text, "%d kB", &rss)
	require.NoError(t, err)
	return rss << 10, string(out)
}

// limit is what a worker may take for a collection, in bytes.
const limit = 200 << 20

// long reports that a test may take its time, and do all of what it is about.
func long() bool { return os.Getenv("HOLDPOINT_TEST_LONG") != "" }

// 2 GB of text in files of the largest size that is read; they are names of one
// file, which a reader does not tell from many. Without HOLDPOINT_TEST_LONG it
// is an eighth of that, which is enough to see that nothing of a file stays.
func TestMemory_AFolderOf2GB(t *testing.T) {
	files := 16
	if long() {
		files = 128
	}
	root := t.TempDir()
	line := "- 2026-11-24: 支付网关的周报, with a line of common length and some letters of each kind\r\n"
	write(t, root, "0.md", strings.Repeat(line, (16<<20)/len(line)))
	for i := 1; i < files; i++ {
		require.NoError(t, os.Link(filepath.Join(root, "0.md"), filepath.Join(root, fmt.Sprintf("%d.md", i))))
	}
	rss, says := peak(t, root)
	t.Logf("peak %d MB: %s", rss>>20, says)
	require.Contains(t, says, fmt.Sprintf("%d read", files))
	require.Less(t, rss, int64(limit))
}

// The memory for an entry is such that 100,000 of them, the default limit, fit.
func TestMemory_ManyEntries(t *testing.T) {
	folders := 20
	if long() {
		folders = 100
	}
	root := t.TempDir()
	write(t, root, "0.md", "x")
	few, _ := peak(t, root)
	for i := range folders {
		dir := filepath.Join(root, fmt.Sprintf("folder-%02d", i))
		require.NoError(t, os.Mkdir(dir, 0o755))
		for j := range 1000 {
			require.NoError(t, os.Symlink("0.md", filepath.Join(dir, fmt.Sprintf("a-note-with-a-name-of-common-length-%04d.md", j))))
		}
	}
	rss, says := peak(t, root)
	t.Logf("peak %d MB, with nearly nothing in it %d MB: %s", rss>>20, few>>20, says)
	require.Less(t, few+(rss-few)*100/int64(folders), int64(limit))
}
