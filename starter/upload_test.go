package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/upload"
	"github.com/holdpoint/holdpoint/workflows"
)

// desk is a folder with documents, a plan, a task file, and the data folder of
// a worker.
type desk struct {
	t   *testing.T
	dir string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	d := desk{t, t.TempDir()}
	t.Chdir(d.dir)
	d.write("docs/a.md", "# A\n")
	d.write("docs/sub/b.txt", "b")
	d.write("docs/.env", "key")
	d.write("plan.yaml", "format: holdpoint.actions/1\nactions: []\n")
	d.write("task.yaml", taskYAML)
	require.NoError(t, os.MkdirAll("data/blobs", 0o755))
	return d
}

func (d desk) write(name, text string) {
	d.t.Helper()
	require.NoError(d.t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(d.t, os.WriteFile(name, []byte(text), 0o644))
}

// prepare is what 'starter start' does before it connects.
func (d desk) prepare(args ...string) (prepared, error) {
	d.t.Helper()
	var f taskFlags
	flags := pflag.NewFlagSet("start", pflag.ContinueOnError)
	f.register(flags)
	require.NoError(d.t, flags.Parse(args))
	return f.prepare("ann.wu")
}

// sent is the task, with everything stored, and what is said of that.
func (d desk) sent(args ...string) (workflows.Task, string) {
	d.t.Helper()
	p, err := d.prepare(append(args, "--data", "data")...)
	require.NoError(d.t, err)
	task, err := p.send(d.t.Context())
	require.NoError(d.t, err)
	var said bytes.Buffer
	p.parcel.print(&said)
	return task, said.String()
}

// stored is the list at an address, read from a tenant's part of the store.
func (d desk) stored(tenant string, source workflows.Source) []upload.File {
	d.t.Helper()
	store, err := blobs.Config{URL: config.BlobURL(filepath.Join(d.dir, "data"))}.Open()
	require.NoError(d.t, err)
	raw, err := store.Get(d.t.Context(), tenant, source.Upload, upload.MaxListBytes)
	require.NoError(d.t, err)
	list, err := upload.Parse(raw)
	require.NoError(d.t, err)
	for _, f := range list.Files {
		if f.Skipped == "" {
			_, err := store.Get(d.t.Context(), tenant, f.Digest, f.Size)
			require.NoError(d.t, err, f.Path)
		}
	}
	return list.Files
}

func TestAttach(t *testing.T) {
	d := newDesk(t)
	wish := []string{"--goal", "g", "--into", "kb", "--tenant", "acme", "--attach"}
	task, said := d.sent(append(wish, "docs")...)
	require.Len(t, task.Context, 1)
	require.Equal(t, workflows.Source{Kind: "upload", Root: "upload", Upload: task.Context[0].Upload}, task.Context[0])
	require.Equal(t, []upload.File{
		{Path: ".env", Size: 3, Skipped: "hidden"},
		{Path: "a.md", Size: 4, Digest: plan.Sum([]byte("# A\n"))},
		{Path: "sub/b.txt", Size: 1, Digest: plan.Sum([]byte("b"))},
	}, d.stored("acme", task.Context[0]))
	require.Equal(t, "stored --attach docs: 2 files, 5 bytes, in "+filepath.Join(d.dir, "data", "blobs")+
		"\n  as source upload, "+task.Context[0].Upload.String()+"\n  left out .env: hidden\n", said)

	// The same files elsewhere are the same wish; others are another.
	require.NoError(t, os.Rename("docs", "moved"))
	moved, _ := d.sent(append(wish, "moved")...)
	require.Equal(t, task, moved)
	d.write("moved/a.md", "# B\n")
	other, _ := d.sent(append(wish, "moved")...)
	require.NotEqual(t, task.BusinessID, other.BusinessID)
	require.NotEqual(t, task.Context, other.Context)
}

func TestAttachWithGlobs(t *testing.T) {
	d := newDesk(t)
	task, _ := d.sent("--goal", "g", "--into", "kb", "--attach", "docs", "--include", "**/*.txt")
	require.Equal(t, []upload.File{{Path: "sub/b.txt", Size: 1, Digest: plan.Sum([]byte("b"))}}, d.stored("default", task.Context[0]))
	task, _ = d.sent("--task", "task.yaml", "--attach", "docs", "--exclude", "sub", "--exclude", ".env")
	require.Equal(t, theTask().Context[0], task.Context[0], "beside those of the task file")
	require.Equal(t, []upload.File{{Path: "a.md", Size: 4, Digest: plan.Sum([]byte("# A\n"))}}, d.stored("acme", task.Context[1]))
}

// Two sources of one name would be one.
func TestAttachTakesAFreeName(t *testing.T) {
	d := newDesk(t)
	d.write("task.yaml", strings.ReplaceAll(taskYAML, "root: notes", "root: upload"))
	task, said := d.sent("--task", "task.yaml", "--attach", "docs")
	require.Equal(t, "upload-2", task.Context[1].Root)
	require.Contains(t, said, "as source upload-2, ")
}

func TestPlanOfOnesOwn(t *testing.T) {
	d := newDesk(t)
	d.write("mine.JSON", `{"format": "holdpoint.actions/1"}`)
	for file, name := range map[string]string{"plan.yaml": "actions.yaml", "mine.JSON": "actions.json"} {
		task, _ := d.sent("--goal", "g", "--into", "kb", "--plan", file)
		require.Equal(t, "given", task.Planner)
		require.Len(t, task.Context, 1)
		require.Equal(t, "plan", task.Context[0].Root)
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, []upload.File{{Path: name, Size: int64(len(raw)), Digest: plan.Sum(raw)}}, d.stored("default", task.Context[0]))
	}
	d.write("task.yaml", taskYAML+"planner: given\n")
	task, _ := d.sent("--task", "task.yaml", "--plan", "plan.yaml", "--attach", "docs")
	require.Equal(t, []string{"notes", "upload", "plan"}, []string{task.Context[0].Root, task.Context[1].Root, task.Context[2].Root})
}

// Nothing is stored, and what to do is said.
func TestUploadRefuses(t *testing.T) {
	d := newDesk(t)
	d.write("outline.yaml", taskYAML+"planner: outline\n")
	d.write("bad.json", `{"a": 1, "a": 2}`)
	d.write("bad.yaml", "a: [\n")
	d.write("empty.yaml", " \n")
	d.write("plan.txt", "x")
	d.write("invisible.json", "{\"a\": \"\u200b\"}")
	d.write("latin.yaml", "a: caf\xe9\n")
	d.write("taken.yaml", strings.ReplaceAll(taskYAML, "root: notes", "root: plan")+"planner: given\n")
	require.NoError(t, syscall.Mkfifo("pipe.json", 0o600))
	d.write("large.json", `"`+strings.Repeat("x", plan.MaxBytes)+`"`)
	wish := func(more ...string) []string {
		return append([]string{"--goal", "g", "--into", "kb", "--data", "data"}, more...)
	}
	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"no folder":         {wish("--attach", "nowhere"), "--attach nowhere: there is no such folder"},
		"a file":            {wish("--attach", "docs/a.md"), "is a file: name its folder, and the file with --include"},
		"a bad glob":        {wish("--attach", "docs", "--include", "../x"), "include: "},
		"no store":          {append(wish("--attach", "docs"), "--data", "other"), "there is no blob store at " + d.dir + "/other/blobs: name the worker's data folder with --data"},
		"no plan":           {wish("--plan", "nowhere.json"), "no such file"},
		"a plan of no name": {wish("--plan", "plan.txt"), "ends in .json, .yaml or .yml"},
		"no JSON":           {wish("--plan", "bad.json"), "--plan: bad.json: "},
		"no YAML":           {wish("--plan", "bad.yaml"), "--plan: bad.yaml:1: "},
		"an empty plan":     {wish("--plan", "empty.yaml"), "the file is empty"},
		"a large plan":      {wish("--plan", "large.json"), "has more than 16777216 bytes"},
		"a hidden letter":   {wish("--plan", "invisible.json"), "--plan: invisible.json:1: character 8 of the line is U+200B"},
		"no UTF-8":          {wish("--plan", "latin.yaml"), "--plan: latin.yaml:1: character 7 of the line is no UTF-8 (byte 0xE9)"},
		"a pipe":            {wish("--plan", "pipe.json"), "--plan: pipe.json is a pipe, and only a file is read here"},
		"a task of a pipe":  {[]string{"--task", "pipe.json"}, "task: pipe.json is a pipe, and only a file is read here"},
		"a folder of files": {wish("--attach", "pipe.json"), "--attach pipe.json is a file: name its folder"},
		"a taken name":      {[]string{"--task", "taken.yaml", "--plan", "plan.yaml", "--data", "data"}, `the task has a source named "plan"`},
		"another planner":   {[]string{"--task", "outline.yaml", "--plan", "plan.yaml", "--data", "data"}, `the task names planner "outline"`},
		"a bad task":        {wish("--attach", "docs", "--tenant", "a/b"), "tenant"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := d.prepare(tc.args...)
			var usage cli.UsageError
			require.ErrorAs(t, err, &usage)
			require.ErrorContains(t, err, tc.says)
		})
	}
	stored, err := os.ReadDir("data/blobs")
	require.NoError(t, err)
	require.Empty(t, stored)
}

func TestUploadThatCannotBeSent(t *testing.T) {
	d := newDesk(t)
	d.write("hidden/.a", "x")
	d.write("hidden/.b/c", "x")
	require.NoError(t, os.Mkdir("nothing", 0o755))
	d.write("few.yaml", "data: data\nlimits: {entries: 1}\n")
	d.write("full.yaml", "data: full\n")
	d.write("full/blobs/default", "a file where the tenant's folder belongs")
	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"hidden":   {[]string{"--attach", "hidden", "--data", "data"}, "--attach hidden holds no file that can be uploaded: .a is left out (hidden), and 1 more"},
		"nothing":  {[]string{"--attach", "nothing", "--data", "data"}, "--attach nothing holds no file that can be uploaded; see also --include"},
		"too many": {[]string{"--attach", "docs", "--config", "few.yaml"}, "or fewer with --include and --exclude"},
		"a store that takes nothing": {[]string{"--attach", "docs", "--config", "full.yaml"},
			"No run was started. Once the blob store " + d.dir + "/full/blobs takes it, start again"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := d.prepare(append([]string{"--goal", "g", "--into", "kb"}, tc.args...)...)
			require.NoError(t, err)
			_, err = p.send(t.Context())
			require.ErrorContains(t, err, tc.says)
		})
	}
}

// A folder of many that are left out does not fill the screen.
func TestPrintLeftOutIsBounded(t *testing.T) {
	p := parcel{items: []item{{Source: "upload", Stored: 1}}}
	p.items[0].LeftOut = append(p.items[0].LeftOut, upload.File{Path: ".git/", Skipped: "hidden folder", Files: 1200})
	for range 29 {
		p.items[0].LeftOut = append(p.items[0].LeftOut, upload.File{Path: "a" + hostile, Skipped: hostile})
	}
	var out bytes.Buffer
	p.print(&out)
	require.Contains(t, out.String(), "  left out .git/ (1,200 files): hidden folder\n")
	require.Equal(t, 2+20+1, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), "  left out 10 more; the run's manifest lists them\n")
}

func TestAmounts(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		require.Equal(t, want, grouped(n))
	}
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 12_345_678: "12 MB", 2e9: "2 GB", 5e12: "5,000 GB"} {
		require.Equal(t, want, size(n))
	}
	require.Equal(t, "1 file", files(1))
}
