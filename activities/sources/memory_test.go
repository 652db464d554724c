package sources

import (
	"archive/zip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

// The folder that a process of this test's program collects into a blob store in
// another, and nothing else.
const (
	collectFolder = "HOLDPOINT_TEST_COLLECT"
	collectStore  = "HOLDPOINT_TEST_COLLECT_STORE"
)

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
	store, err := blobs.Config{URL: os.Getenv(collectStore)}.Open()
	if err != nil {
		return err
	}
	defer store.Close()
	c := Collector{Limits: Limits{MaxFileBytes: 16 << 20, MaxTotalBytes: 4 << 30, MaxEntries: 200_000}, Store: tenantStore{store}, Every: time.Second}
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

// tenantStore is a worker's blob store, which reads back what it has already.
type tenantStore struct{ *blobs.Store }

func (s tenantStore) Put(ctx context.Context, data []byte) (plan.Digest, error) {
	return s.Store.Put(ctx, "acme", data)
}

func (s tenantStore) Get(ctx context.Context, digest plan.Digest, limit int64) ([]byte, error) {
	return s.Store.Get(ctx, "acme", digest, limit)
}

// peak collects a folder into an empty store, see peakInto.
func peak(t *testing.T, root string) (rss int64, says string) {
	t.Helper()
	return peakInto(t, root, t.TempDir())
}

// peakInto collects a folder into a store in a process of its own and returns the
// most memory that it had, in bytes.
func peakInto(t *testing.T, root, store string) (rss int64, says string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		require.NotEqual(t, "true", os.Getenv("CI"), "CI has Linux")
		t.Skip("only Linux says how much memory a process had at most without what its parent had")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), collectFolder+"="+root, collectStore+"=file://"+store)
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

// 2 GB in files of the largest size that is read, of the formats that take most,
// into the store that a worker has, and once more into the same; they are names of
// three files, which a reader does not tell from many. Without HOLDPOINT_TEST_LONG it is an eighth of that,
// which is enough to see that nothing of a file stays.
func TestMemory_AFolderOf2GB(t *testing.T) {
	files := 16
	if long() {
		files = 128
	}
	root := t.TempDir()
	line := "- 2026-11-24: 支付网关的周报, with a line of common length and some letters of each kind\r\n"
	write(t, root, "0.md", strings.Repeat(line, (16<<20)/len(line)))
	write(t, root, "1.html", strings.Repeat("<p class=x>"+strings.Repeat(strings.TrimSpace(line), 8)+"</p>\n", (16<<20)/(8*len(line)+16)))
	write(t, root, "2.docx", docxOf(t, strings.Repeat("<w:p><w:r><w:t>"+strings.Repeat(line, 8)+"</w:t></w:r></w:p>", (15<<20)/(8*len(line)+40))))
	for i := 3; i < files; i++ {
		like := []string{"0.md", "1.html", "2.docx"}[i%3]
		require.NoError(t, os.Link(filepath.Join(root, like), filepath.Join(root, fmt.Sprintf("%d%s", i, filepath.Ext(like)))))
	}
	store := t.TempDir()
	for _, time := range []string{"into an empty store", "again"} { // what is there already is compared
		rss, says := peakInto(t, root, store)
		t.Logf("%s: peak %d MB: %s", time, rss>>20, says)
		require.Contains(t, says, fmt.Sprintf("%d read", files))
		require.Less(t, rss, int64(limit), time)
	}
}

// docxOf is a Word document with the given body.
func docxOf(t *testing.T, body string) string {
	t.Helper()
	var b strings.Builder
	w := zip.NewWriter(&b)
	for name, content := range map[string]string{
		"_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" ` +
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body + `</w:body></w:document>`,
	} {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
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
