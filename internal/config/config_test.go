package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/config"
)

// load reads a configuration file of that text, in a folder with notes/.
func load(t *testing.T, text string) (config.Config, string, error) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "notes"), 0o755))
	file := filepath.Join(dir, "holdpoint.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	c, err := config.Load(file)
	return c, dir, err
}

func folder(path string) config.Source { return config.Source{Kind: config.SourceDir, Path: path} }

func TestLoadLaysTheFileOverTheDefaults(t *testing.T) {
	c, dir, err := load(t, `
task_queue: reports
sources: {notes: notes, shared: /srv/shared}
source_urls: {notes: "https://git.example.com/notes/blob/main"}
repositories:
  kb: {path: ../kb, branch: pages}
  wiki: {remote: "https://git.example.com/wiki.git", credential_helper: store}
  ops: {path: cache, remote: ../ops.git}
policy: policies/policy.yaml
data: state
limits: {parallel_actions: 3}
timing: {lease: 9s}
`)
	require.NoError(t, err)
	want := config.Default()
	want.TaskQueue = "reports"
	want.Sources = map[string]config.Source{"notes": folder(filepath.Join(dir, "notes")), "shared": folder("/srv/shared")}
	want.SourceURLs = map[string]string{"notes": "https://git.example.com/notes/blob/main"}
	want.Repositories = map[string]config.Repository{
		"kb":   {Path: filepath.Join(filepath.Dir(dir), "kb"), Place: "../kb", Branch: "pages"},
		"wiki": {Remote: "https://git.example.com/wiki.git", Place: "https://git.example.com/wiki.git", CredentialHelper: "store"},
		"ops":  {Path: filepath.Join(dir, "cache"), Remote: filepath.Join(filepath.Dir(dir), "ops.git"), Place: "../ops.git"},
	}
	want.Policy, want.Data = filepath.Join(dir, "policies", "policy.yaml"), filepath.Join(dir, "state")
	want.Limits.ParallelActions = 3
	want.Timing.Lease = 9 * time.Second
	require.EqualExportedValues(t, want, c)
}

func TestDefaultsAreThoseOfTheDocumentation(t *testing.T) {
	c := config.Default()
	require.Equal(t, "holdpoint", c.TaskQueue)
	require.Equal(t, ".holdpoint", c.Data)
	require.Equal(t, 2*time.Second, c.Timing.HeartbeatTimeout)
	require.Equal(t, 3*time.Second, c.Timing.Lease)
	require.Equal(t, time.Second, c.Timing.StickyTimeout)
	require.False(t, c.SingleMachine)
	for _, text := range []string{"", "# nothing yet\n", "---\n"} {
		loaded, dir, err := load(t, text)
		require.NoError(t, err)
		c.Data = filepath.Join(dir, ".holdpoint")
		require.EqualExportedValues(t, c, loaded, "%q", text)
	}
}

func TestLoadNamesTheLineOfAMistake(t *testing.T) {
	for name, tc := range map[string]struct{ text, says string }{
		"unknown field": {"task_queue: x\nsorces: {notes: notes}\n",
			`holdpoint.yaml:2: unknown field "sorces"; known are task_queue, sources, source_urls, repositories, tools, notify, policy, data,`},
		"unknown inner field": {"limits:\n  parallel: 3\n", `holdpoint.yaml:2: unknown field "parallel"; known are file_bytes, total_bytes,`},
		"another case":        {"Task_queue: x\n", `holdpoint.yaml:1: unknown field "Task_queue"`},
		"twice":               {"data: a\ndata: b\n", "holdpoint.yaml:2: data stands in line 1 already"},
		"tools twice":         {"tools: {}\ntools: {}\n", "holdpoint.yaml:2: tools stands in line 1 already"},
		"a number as period":  {"timing:\n  lease: 3\n", `holdpoint.yaml:2: timing.lease: "3" is no period of time; write one with its unit`},
		"no period":           {"timing:\n  lease: soon\n", `holdpoint.yaml:2: timing.lease: "soon" is no period of time`},
		"a list of sources":   {"sources: [notes]\n", "holdpoint.yaml:1: sources: fields are expected here, and not a list"},
		"a policy in its place": {"policy:\n  label: x\n  approvers: [bo.lin]\n",
			"holdpoint.yaml:2: policy: the path of a policy file is expected here, and not an object"},
		"another's policy": {"notify: &n {label: x}\npolicy: *n\n",
			"holdpoint.yaml:1: policy: the path of a policy file is expected here, and not an object"},
		"a list of folders":   {"data: [a]\n", "holdpoint.yaml:1: data: the path of a folder is expected here, and not a list"},
		"a queue with fields": {"task_queue: {}\n", "holdpoint.yaml:1: task_queue: the name of a task queue is expected here, and not an object"},
		"a ledger of fields":  {"ledger:\n  url: x\n", "holdpoint.yaml:2: ledger: the address of a PostgreSQL database is expected here, and not an object"},
		"a list of addresses": {"metrics: [a]\n", "holdpoint.yaml:1: metrics: HOST:PORT is expected here, and not a list"},
		"no YAML":             {"sources: {notes: notes\n", "holdpoint.yaml:1: did not find expected"},
		"a tab":               {"sources:\n\tnotes: notes\n", "holdpoint.yaml:2: a tab at the beginning of the line"},
		"a tab further down":  {"task_queue: x\nsources:\n  a: b\n\tnotes: notes\n", "holdpoint.yaml:4: a tab at the beginning of the line"},
		"a text":              {"notes\n", `holdpoint.yaml:1: fields are expected here, and not "notes"`},
		"a second document":   {"data: a\n---\ndata: b\n", "holdpoint.yaml:2: more follows"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := load(t, tc.text)
			require.ErrorContains(t, err, tc.says)
		})
	}
	_, err := config.Load(filepath.Join(t.TempDir(), "absent.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Every mistake of a file is named, not only the first.
func TestLoadNamesEveryMistake(t *testing.T) {
	_, _, err := load(t, "sorces: {}\ntools: []\nlimits: {entries: many}\npolicy: {}\ndata: {}\n")
	for _, says := range []string{"holdpoint.yaml:4: policy: ", "holdpoint.yaml:5: data: ", `holdpoint.yaml:1: unknown field "sorces"`, "holdpoint.yaml:2: tools: declare", `holdpoint.yaml:3: limits.entries: "many" is no whole number`} {
		require.ErrorContains(t, err, says)
	}
}

// What stands in the file is named by its line, and what a flag says is not.
func TestValidateNamesFileAndLine(t *testing.T) {
	c, dir, err := load(t, "sources:\n  notes: notes\n  more: ntes\nrepositories:\n  kb: {branch: pages}\ntask_queue: ' '\nlimits: {entries: -1}\n")
	require.NoError(t, err)
	err = c.Validate()
	file := filepath.Join(dir, "holdpoint.yaml")
	for _, says := range []string{
		file + ":3: source more: " + filepath.Join(dir, "ntes") + " is not a folder", file + ":5: repository kb: path is missing",
		file + ":6: task_queue is empty", file + ":7: limits: file_bytes, total_bytes and entries must be above 0",
	} {
		require.ErrorContains(t, err, says)
	}
	c.Sources["more"] = folder("other")
	c.ByFlag("sources", "more")
	require.Contains(t, strings.Split(c.Validate().Error(), "\n"), "source more: other is not a folder")
}

// Flags are laid over the file, also where it names nothing.
func TestLoadLeavesMapsThatFlagsCanAddTo(t *testing.T) {
	c, _, err := load(t, "sources:\nrepositories:\n")
	require.NoError(t, err)
	c.Sources["notes"] = folder("notes")
	c.Repositories["kb"] = config.Repository{Path: "kb"}
}

// valid is a configuration without mistakes.
func valid(t *testing.T) config.Config {
	t.Helper()
	c, _, err := load(t, "sources: {notes: notes}\nrepositories: {kb: {path: kb}}\npolicy: policy.yaml\n")
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	return c
}

func TestValidateSaysWhatIsWrong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	for name, tc := range map[string]struct {
		change func(*config.Config)
		says   string
	}{
		"no source":             {func(c *config.Config) { c.Sources = nil }, "no source root"},
		"source is missing":     {func(c *config.Config) { c.Sources["notes"] = folder("/no/such/folder") }, "source notes: /no/such/folder is not a folder"},
		"source is a file":      {func(c *config.Config) { c.Sources["notes"] = folder(file) }, "is not a folder"},
		"source is not given":   {func(c *config.Config) { c.Sources["notes"] = folder("") }, "source notes: folder is missing"},
		"source's name":         {func(c *config.Config) { c.Sources["a/b"] = c.Sources["notes"] }, `name "a/b"`},
		"source's empty name":   {func(c *config.Config) { c.Sources[""] = c.Sources["notes"] }, `name ""`},
		"source's Chinese name": {func(c *config.Config) { c.Sources["笔记"] = c.Sources["notes"] }, `name "笔记"`},
		"URL of no source":      {func(c *config.Config) { c.SourceURLs = map[string]string{"other": "https://example.com"} }, "source_urls: other"},
		"URL of another scheme": {func(c *config.Config) { c.SourceURLs = map[string]string{"notes": "javascript:alert(1)"} }, "source_urls: notes"},
		"URL with credentials":  {func(c *config.Config) { c.SourceURLs = map[string]string{"notes": "https://u:p@example.com"} }, "source_urls: notes"},
		"URL with a fragment":   {func(c *config.Config) { c.SourceURLs = map[string]string{"notes": "https://example.com/#x"} }, "source_urls: notes"},
		"URL without a host":    {func(c *config.Config) { c.SourceURLs = map[string]string{"notes": "https:///notes"} }, "source_urls: notes"},
		"no URL":                {func(c *config.Config) { c.SourceURLs = map[string]string{"notes": "http://[::1"} }, "source_urls: notes"},
		"repository's path":     {func(c *config.Config) { c.Repositories["kb"] = config.Repository{} }, "repository kb: path is missing"},
		"a helper for nothing":  {func(c *config.Config) { c.Repositories["kb"] = config.Repository{Path: "x", CredentialHelper: "store"} }, "repository kb: credential_helper is for a remote"},
		"repository's name":     {func(c *config.Config) { c.Repositories[".kb"] = config.Repository{Path: "x"} }, `name ".kb"`},
		"task queue":            {func(c *config.Config) { c.TaskQueue = " " }, "task_queue is empty"},
		"data":                  {func(c *config.Config) { c.Data = "" }, "data is empty"},
		"file bytes":            {func(c *config.Config) { c.Limits.FileBytes = 0 }, "file_bytes"},
		"total bytes":           {func(c *config.Config) { c.Limits.TotalBytes = -1 }, "total_bytes"},
		"entries":               {func(c *config.Config) { c.Limits.Entries = 0 }, "entries"},
		"no parallel action":    {func(c *config.Config) { c.Limits.ParallelActions = 0 }, "parallel_actions must be 1 to 200"},
		"many parallel actions": {func(c *config.Config) { c.Limits.ParallelActions = 201 }, "parallel_actions must be 1 to 200"},
		"no attempt":            {func(c *config.Config) { c.Limits.StepAttempts = 0 }, "step_attempts must be 1 to 1,000"},
		"many attempts":         {func(c *config.Config) { c.Limits.StepAttempts = 1001 }, "step_attempts must be 1 to 1,000"},
		"no patience":           {func(c *config.Config) { c.Limits.StepPatience = 0 }, "step_patience must be 1s to 120h"},
		"endless patience":      {func(c *config.Config) { c.Limits.StepPatience = 120*time.Hour + 1 }, "step_patience must be 1s to 120h"},
		"heartbeat":             {func(c *config.Config) { c.Timing.HeartbeatTimeout = 499 * time.Millisecond }, "heartbeat_timeout must be at least 500ms"},
		"sticky timeout":        {func(c *config.Config) { c.Timing.StickyTimeout = 0 }, "sticky_timeout"},
		"drain timeout":         {func(c *config.Config) { c.Timing.DrainTimeout = 0 }, "drain_timeout"},
		"short lease":           {func(c *config.Config) { c.Timing.Lease = time.Second }, "lease must not be shorter than heartbeat_timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			c := valid(t)
			tc.change(&c)
			require.ErrorContains(t, c.Validate(), tc.says)
		})
	}
}

// Everything that is wrong is said at once.
func TestValidateReportsEverything(t *testing.T) {
	c := config.Config{Data: "x"}
	err := c.Validate()
	for _, part := range []string{"no source root", "task_queue", "limits:", "timing:"} {
		require.ErrorContains(t, err, part)
	}
}

func TestValidateMakesPathsAbsolute(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("notes", 0o755))
	c := config.Default()
	c.Sources["notes"] = folder("notes")
	c.SourceURLs = map[string]string{"notes": "https://example.com/notes"}
	c.Repositories["kb"] = config.Repository{Path: "kb"}
	require.NoError(t, c.Validate())
	// The folder may have been reached through a link.
	here, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(here, "notes"), c.Sources["notes"].Path)
	require.Equal(t, filepath.Join(here, "kb"), c.Repositories["kb"].Path)
	require.Equal(t, filepath.Join(here, ".holdpoint"), c.Data)
	require.Equal(t, "https://example.com/notes/", c.SourceURLs["notes"], "a path can be appended")
}

func TestCacheOfARemoteIsInTheDataFolder(t *testing.T) {
	c := valid(t)
	c.Repositories["wiki"] = config.Repository{Remote: "git@git.example.com:wiki.git"}
	c.Repositories["ops"] = config.Repository{Remote: "git@git.example.com:ops.git", Path: "/srv/cache"}
	require.NoError(t, c.Validate())
	require.Equal(t, filepath.Join(c.Data, "git", "wiki.git"), c.Repositories["wiki"].Path)
	require.Equal(t, "git@git.example.com:wiki.git", c.Repositories["wiki"].Remote)
	require.Equal(t, "/srv/cache", c.Repositories["ops"].Path)
}

// A data folder may be called what a folder may be called.
func TestBlobURLOpensTheFolderItNames(t *testing.T) {
	for _, name := range []string{
		"plain", "two words", "what?", "no#1", "100%", "100%20", "a+b&c=d", "知识库 数据", "café", "semi;colon", `back\slash`, `"quoted"`, "a:b", "@home",
	} {
		t.Run(name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), name)
			store, err := blobs.Config{URL: config.BlobURL(data)}.Open()
			require.NoError(t, err)
			defer store.Close()
			digest, err := store.Put(t.Context(), "acme", []byte("text"))
			require.NoError(t, err)
			got, err := store.Get(t.Context(), "acme", digest, 100)
			require.NoError(t, err)
			require.Equal(t, "text", string(got))
			kept, err := os.ReadFile(filepath.Join(data, "blobs", "acme", digest.Hex()[:2], digest.Hex()))
			require.NoError(t, err, "in the very folder of that name")
			require.Equal(t, "text", string(kept))
			require.True(t, strings.HasPrefix(config.BlobURL(data), "file:///"))
		})
	}
}

// The blob store is where the file says, and its keys are references.
func TestBlobsOfTheFile(t *testing.T) {
	const notes = "sources: {notes: notes}\n"
	c, dir, err := load(t, notes+`blobs:
  url: s3://acme?endpoint=https://objects.example.com
  access_key: ${env:A}
  secret_key: ${env:B}
  ca_file: ca.pem
`)
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	require.Equal(t, filepath.Join(dir, "ca.pem"), c.Blobs.CAFile)
	require.Equal(t, c.Blobs, c.BlobStore())

	c, dir, err = load(t, notes+"blobs:\n")
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	require.Equal(t, blobs.Config{URL: config.BlobURL(filepath.Join(dir, ".holdpoint"))}, c.BlobStore())

	c, _, err = load(t, notes+"blobs:\n  url: s3://acme\n  access_key: ${env:A}\n  secret_key: written-out\n")
	require.NoError(t, err)
	err = c.Validate()
	require.ErrorContains(t, err, "holdpoint.yaml:3: blob store: secret_key and session_token must be references")
	require.NotContains(t, err.Error(), "written-out")
	_, _, err = load(t, notes+"blobs: {uri: x}\n")
	require.ErrorContains(t, err, `holdpoint.yaml:2: unknown field "uri"; known are url, access_key, secret_key, session_token, ca_file`)
}

// What is read elsewhere keeps its place.
func TestSectionsKeepFileAndLine(t *testing.T) {
	c, dir, err := load(t, "planners:\n  p: {kind: openai}\nbudgets:\n  currency: USD\nnotify:\n")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "holdpoint.yaml"), c.Planners.File)
	require.Equal(t, 2, c.Planners.Node.Line)
	require.Equal(t, 4, c.Budgets.Node.Line)
	require.Equal(t, config.Section{}, c.Notify, "nothing stands there")
}
