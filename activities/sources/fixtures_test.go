package sources

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// wide limits keep nothing out that these tests read.
var wide = Limits{MaxFileBytes: 4 << 20, MaxTotalBytes: 64 << 20, MaxEntries: 10_000}

// shelf keeps what was collected, as a blob store does.
type shelf map[plan.Digest]string

// shelves keeps those apart who put something on a shelf at one time.
var shelves sync.Mutex

func (s shelf) Put(_ context.Context, data []byte) (plan.Digest, error) {
	shelves.Lock()
	defer shelves.Unlock()
	d := plan.Sum(data)
	s[d] = string(data)
	return d, nil
}

func (s shelf) Get(_ context.Context, digest plan.Digest, limit int64) ([]byte, error) {
	shelves.Lock()
	defer shelves.Unlock()
	data, ok := s[digest]
	if !ok || int64(len(data)) > limit {
		return nil, &faults.Fault{Class: faults.Permanent, Code: "blob_missing", Reason: "not on the shelf"}
	}
	return []byte(data), nil
}

// notes selects all of a folder.
func notes(root string) Selection { return Selection{Name: "notes", Source: Dir{Root: root}} }

// collect reads all of root and returns the manifest and the contents by path.
func collect(t *testing.T, root string, change ...func(*Collector, *Selection)) (Manifest, map[string]string) {
	t.Helper()
	s := shelf{}
	c := Collector{Limits: wide, Store: s}
	sel := notes(root)
	for _, f := range change {
		f(&c, &sel)
	}
	var m Manifest
	inTime(t, func() {
		var err error
		m, err = c.Collect(context.Background(), []Selection{sel})
		require.NoError(t, err)
	})
	return m, s.contents(m)
}

// contents are the bytes of what was read, by path.
func (s shelf) contents(m Manifest) map[string]string {
	contents := map[string]string{}
	for _, e := range m.Entries {
		if e.Skipped == "" {
			contents[e.Path] = s[e.Digest]
		}
	}
	return contents
}

// refusal collects what must be refused and returns the fault.
func refusal(t *testing.T, root string, change ...func(*Collector, *Selection)) *faults.Fault {
	t.Helper()
	c := Collector{Limits: wide, Store: shelf{}}
	sel := notes(root)
	for _, f := range change {
		f(&c, &sel)
	}
	_, err := c.Collect(context.Background(), []Selection{sel})
	var fault *faults.Fault
	require.ErrorAs(t, err, &fault)
	return fault
}

// inTime fails the test, instead of hanging it, when f waits for something.
func inTime(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		require.FailNow(t, "still waiting after 5 s")
	}
}

// skipped returns the reasons by path.
func skipped(m Manifest) map[string]string {
	reasons := map[string]string{}
	for _, e := range m.Entries {
		if e.Skipped != "" {
			reasons[e.Path] = e.Skipped
		}
	}
	return reasons
}

func write(t *testing.T, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

// countFiles counts as `find root -mindepth 1 ! -type d` does.
func countFiles(t *testing.T, root string) int {
	t.Helper()
	n := 0
	require.NoError(t, filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	}))
	return n
}

func names(m Manifest) string {
	var list []string
	for _, e := range m.Entries {
		list = append(list, e.Path)
	}
	return strings.Join(list, " ")
}
