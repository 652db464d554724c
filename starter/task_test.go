package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/workflows"
)

// taskFile writes a task file of that text.
func taskFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "task.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

const taskYAML = `
tenant: acme
business_id: weekly-2026-W48
goal: weekly report
requester: ann.wu
context:
  - root: notes
    path: "2026"
    include: ["**/*.md"]
tools:
  - {tool: gitpages, target: kb}
`

// theTask is the task of taskYAML.
func theTask() workflows.Task {
	return workflows.Task{
		Tenant: "acme", BusinessID: "weekly-2026-W48", Goal: "weekly report", Requester: "ann.wu",
		Context: []workflows.Source{{Kind: "dir", Root: "notes", Path: "2026", Include: []string{"**/*.md"}}},
		Tools:   []workflows.ToolUse{{Tool: "gitpages", Target: "kb"}},
		Planner: "outline", SemanticVersion: "v1", OnFailure: "stop",
	}
}

// whole is the task of flags that upload nothing.
func (f taskFlags) whole(requester string) (workflows.Task, error) {
	draft, err := f.draft()
	if err != nil {
		return draft, err
	}
	return f.task(draft, requester, nil)
}

func TestTaskOfFlags(t *testing.T) {
	flags := taskFlags{goal: "weekly report", from: "notes", into: "kb"}
	base := workflows.Task{
		Tenant: "default", BusinessID: defaultID(flags), Goal: "weekly report", Requester: "login",
		Context: []workflows.Source{{Kind: "dir", Root: "notes"}}, Tools: []workflows.ToolUse{{Tool: "gitpages", Target: "kb"}},
		Planner: "outline", SemanticVersion: "v1", OnFailure: "stop",
	}
	for name, tc := range map[string]struct {
		flags func(*taskFlags)
		want  func(*workflows.Task)
	}{
		"the least": {func(*taskFlags) {}, func(*workflows.Task) {}},
		"folders within": {
			func(f *taskFlags) { f.from, f.into, f.id = "notes/2026/11", "kb/team/reports", "x" },
			func(w *workflows.Task) {
				w.Context[0].Path, w.Tools[0].Path, w.BusinessID = "2026/11", "team/reports", "x"
			},
		},
		"folders with a slash behind": {
			func(f *taskFlags) { f.from, f.into, f.id = "notes/2026/", "kb/team/", "x" },
			func(w *workflows.Task) { w.Context[0].Path, w.Tools[0].Path, w.BusinessID = "2026", "team", "x" },
		},
		"all of it, with a slash": {
			func(f *taskFlags) { f.from, f.into, f.id = "notes/", "kb/", "x" },
			func(w *workflows.Task) { w.BusinessID = "x" },
		},
		"one page": {
			func(f *taskFlags) { f.into, f.id = "kb/weekly/x.md", "x" },
			func(w *workflows.Task) { w.Tools[0].Path, w.BusinessID = "weekly/x.md", "x" },
		},
		"Chinese names within": {
			func(f *taskFlags) { f.from, f.id = "notes/周报 2026", "x" },
			func(w *workflows.Task) { w.Context[0].Path, w.BusinessID = "周报 2026", "x" },
		},
		"globs": {
			func(f *taskFlags) { f.include, f.exclude = []string{"**/*.md"}, []string{"drafts/**"} },
			func(w *workflows.Task) {
				w.Context[0].Include, w.Context[0].Exclude = []string{"**/*.md"}, []string{"drafts/**"}
			},
		},
		"everything else": {
			func(f *taskFlags) {
				f.tenant, f.id, f.requester, f.version, f.onFailure = "acme", "w48", "ann.wu", "v3", "continue"
			},
			func(w *workflows.Task) {
				w.Tenant, w.BusinessID, w.Requester, w.SemanticVersion, w.OnFailure = "acme", "w48", "ann.wu", "v3", "continue"
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, want := flags, base
			want.Context, want.Tools = []workflows.Source{base.Context[0]}, []workflows.ToolUse{base.Tools[0]}
			tc.flags(&f)
			tc.want(&want)
			got, err := f.whole("login")
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestTaskOfAFileWithFlagsOverIt(t *testing.T) {
	file := taskFile(t, taskYAML)
	got, err := taskFlags{file: file}.whole("login")
	require.NoError(t, err)
	require.Equal(t, theTask(), got)

	got, err = taskFlags{file: file, tenant: "beta", id: "w49", requester: "bo", version: "v2", onFailure: "continue"}.whole("login")
	require.NoError(t, err)
	want := theTask()
	want.Tenant, want.BusinessID, want.Requester, want.SemanticVersion, want.OnFailure = "beta", "w49", "bo", "v2", "continue"
	require.Equal(t, want, got)

	got, err = taskFlags{file: taskFile(t, strings.ReplaceAll(taskYAML, "requester: ann.wu\n", ""))}.whole("login")
	require.NoError(t, err)
	require.Equal(t, "login", got.Requester)
	got, err = taskFlags{file: taskFile(t, strings.ReplaceAll(taskYAML, "tenant: acme\n", ""))}.whole("login")
	require.NoError(t, err)
	require.Equal(t, "default", got.Tenant)
}

// Everything that a user may mistype is said in words, with exit code 2.
func TestTaskRefuses(t *testing.T) {
	file := taskFile(t, taskYAML)
	least := func(change func(*taskFlags)) taskFlags {
		f := taskFlags{goal: "g", from: "notes", into: "kb"}
		change(&f)
		return f
	}
	for name, tc := range map[string]struct {
		flags taskFlags
		says  string
	}{
		"nothing":             {taskFlags{}, "say what is wanted"},
		"no goal":             {least(func(f *taskFlags) { f.goal = "" }), "say what is wanted"},
		"no from":             {least(func(f *taskFlags) { f.from = "" }), "say what is wanted"},
		"no into":             {least(func(f *taskFlags) { f.into = "" }), "say what is wanted"},
		"both":                {taskFlags{file: file, goal: "g"}, "--task holds the whole task"},
		"a file with from":    {taskFlags{file: file, from: "notes"}, "--task holds the whole task"},
		"a file with globs":   {taskFlags{file: file, include: []string{"*.md"}}, "--task holds the whole task"},
		"globs of nothing":    {taskFlags{goal: "g", into: "kb", include: []string{"*"}, uploads: uploadFlags{plan: "p.json"}}, "are for --from and --attach"},
		"two ways to attach":  {least(func(f *taskFlags) { f.uploads.folder = "docs" }), "use one of them, or --attach beside --task FILE"},
		"a file that is away": {taskFlags{file: file + "x"}, "no such file"},
		"an absolute path":    {least(func(f *taskFlags) { f.from = "/etc" }), "is a path: name a source root"},
		"a path from here":    {least(func(f *taskFlags) { f.from = "./notes" }), "is a path: name a source root"},
		"a path above":        {least(func(f *taskFlags) { f.from = "../notes" }), "is a path: name a source root"},
		"a name with blanks":  {least(func(f *taskFlags) { f.from = "my notes" }), "context[0].root"},
		"a home folder":       {least(func(f *taskFlags) { f.from = "~/notes" }), "context[0].root"},
		"an absolute target":  {least(func(f *taskFlags) { f.into = "/srv/kb" }), "tools[0]"},
		"another on-failure":  {least(func(f *taskFlags) { f.onFailure = "retry" }), "on_failure"},
		"a tenant with slash": {least(func(f *taskFlags) { f.tenant = "a/b" }), "tenant"},
		"an endless goal":     {least(func(f *taskFlags) { f.goal = strings.Repeat("文", 2000) }), "goal: has 6000 bytes"},
		"a goal of no UTF-8":  {least(func(f *taskFlags) { f.goal = "caf\xe9" }), "goal: is not valid UTF-8"},
		"an invisible goal":   {least(func(f *taskFlags) { f.goal = "a\u202eb" }), "U+202E"},
		"an endless id":       {least(func(f *taskFlags) { f.id = strings.Repeat("x", 1001) }), "business_id: has 1001 bytes; at most 1000"},
		"an id of blanks":     {least(func(f *taskFlags) { f.id = " \n" }), "business_id: is missing"},
		"an id of no UTF-8":   {least(func(f *taskFlags) { f.id = "caf\xe9" }), "business_id: is not valid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tc.flags.whole("login")
			var usage cli.UsageError
			require.ErrorAs(t, err, &usage)
			require.ErrorContains(t, err, tc.says)
		})
	}
	_, err := least(func(*taskFlags) {}).whole("")
	require.ErrorContains(t, err, "requester")
}

func TestParseTaskRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ text, says string }{
		"an unknown field":         {"goal: x\nplannr: outline\n", `task.yaml:2: unknown field "plannr"; known are tenant, business_id, goal, requester, context, tools, planner,`},
		"an unknown inner field":   {strings.ReplaceAll(taskYAML, "path:", "folder:"), `task.yaml:8: unknown field "folder"; known are kind, root, `},
		"a name in another case":   {strings.ReplaceAll(taskYAML, "goal:", "Goal:"), `task.yaml:4: unknown field "Goal"`},
		"a name that Go folds":     {strings.ReplaceAll(taskYAML, "tools:", "toolſ:"), `unknown field "toolſ"`},
		"both spellings":           {taskYAML + "GOAL: other\n", `unknown field "GOAL"`},
		"a field twice":            {"goal: x\ngoal: other\n", "task.yaml:2: goal stands in line 1 already"},
		"a field twice, as JSON":   {"{\"goal\": \"a\",\n\"goal\": \"b\"}", "task.yaml:2: goal stands in line 1 already"},
		"an unknown field as JSON": {"{\n\t\"goal\":\n\t\t\"a\",\n\t\"plannr\": \"b\"\n}", `task.yaml:4: unknown field "plannr"`},
		"a number as JSON":         {"{\n\"goal\": 1}", "task.yaml:2: 1 is no text: write it in quotes"},
		"half a letter as JSON":    {"{\n\n\"goal\": \"\\ud83d\"}", "task.yaml:3: "},
		"a list":                   {"- goal: a\n", "task.yaml:1: fields are expected here, and not a list"},
		"a text":                   {"weekly report\n", `task.yaml:1: fields are expected here, and not "weekly report"`},
		"a text where a list is":   {strings.ReplaceAll(taskYAML, `["**/*.md"]`, `"**/*.md"`), `task.yaml:9: context[0].include: a list is expected here, and not "**/*.md"`},
		"nothing":                  {"", "task.yaml:1: the file is empty"},
		"only a comment":           {"# to do\n", "task.yaml:1: the file is empty"},
		"two documents":            {"goal: x\n---\ngoal: other\n", "task.yaml:2: more follows"},
		"no YAML":                  {"goal: [\n", "task.yaml:1: did not find"},
		"a tab":                    {"context:\n  - root: notes\n\tpath: x\n", "task.yaml:3: a tab"},
		"a merged mapping":         {"x: &x {goal: a}\n<<: *x\n", `task.yaml:1: unknown field "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseTask("task.yaml", []byte(tc.text))
			require.ErrorContains(t, err, tc.says)
			require.NotContains(t, err.Error(), "json")
		})
	}
}

// What is written is what is meant, whatever YAML takes it for.
func TestParseTaskTakesTextsAsTheyAreWritten(t *testing.T) {
	for _, written := range []string{
		"2026-11-24", "2026-11-24T10:00:00Z", "0042", "1e3", "1_000", "0x1F", "yes", "true", "3.0", ".inf", "-7", "12:30:45", "周报",
	} {
		task, err := parseTask("task.yaml", []byte(strings.ReplaceAll(taskYAML, "business_id: weekly-2026-W48", "business_id: "+written)))
		require.NoError(t, err, written)
		require.Equal(t, written, task.BusinessID)
	}
	for written, want := range map[string]string{
		"~": "", "null": "", "": "", `"null"`: "null", "'it''s'": "it's", "!!str 7": "7", "|-\n  two\n  lines": "two\nlines",
	} {
		task, err := parseTask("task.yaml", []byte(strings.ReplaceAll(taskYAML, "business_id: weekly-2026-W48", "business_id: "+written)))
		require.NoError(t, err, written)
		require.Equal(t, want, task.BusinessID, written)
	}
}

// YAML's reader knows neither tabs nor all of JSON's escapes, and wants a colon
// in the line of its name.
func TestParseTaskReadsAllOfJSON(t *testing.T) {
	task, err := parseTask("task.json", []byte("{\r\n\t\"goal\"\n\t:\n\t\"\\ud83d\\ude00 a\\/b\\u2028\\u0000\u0085\x7f\\\"\\\\\",\n"+
		"\t\"tools\":[{\"tool\":\"gitpages\",\"target\":\"kb\"}],\"context\":[],\"planner\":null\n}"))
	require.NoError(t, err)
	require.Equal(t, "😀 a/b\u2028\x00\u0085\x7f\"\\", task.Goal)
	require.Equal(t, []workflows.ToolUse{{Tool: "gitpages", Target: "kb"}}, task.Tools)
	require.Empty(t, task.Planner)
}

// An upload is named by the digest that storing it has printed.
func TestParseTaskReadsADigest(t *testing.T) {
	stored := plan.Sum([]byte("list"))
	for _, text := range []string{"context: [{kind: upload, upload: '" + stored.String() + "'}]\n", `{"context":[{"kind":"upload","upload":"` + stored.String() + `"}]}`} {
		task, err := parseTask("task.yaml", []byte(text))
		require.NoError(t, err)
		require.Equal(t, []workflows.Source{{Kind: "upload", Upload: stored}}, task.Context)
	}
	_, err := parseTask("task.yaml", []byte("goal: x\ncontext: [{kind: upload, upload: 7}]\n"))
	require.ErrorContains(t, err, "task.yaml:2: context[0].upload: ")
}

func TestDefaultIDIsTheSameForTheSameWish(t *testing.T) {
	wish := taskFlags{goal: "Weekly report, for the team!", from: "notes", into: "kb"}
	require.Regexp(t, `^weekly-report-for-the-team-[0-9a-f]{8}$`, defaultID(wish))
	again := wish
	again.requester, again.tenant, again.from, again.into = "other", "other", "notes/", "kb/"
	require.Equal(t, defaultID(wish), defaultID(again))
	seen := map[string]taskFlags{}
	for _, f := range []taskFlags{
		wish,
		{goal: wish.goal, from: "notes/2026", into: "kb"},
		{goal: wish.goal, from: "notes", into: "kb/team"},
		{goal: "weekly report, for the team", from: "notes", into: "kb"},
		{goal: "周报", from: "notes", into: "kb"},
		{goal: "日报", from: "notes", into: "kb"},
		{goal: "ab", from: "c", into: "kb"},
		{goal: "a", from: "bc", into: "kb"},
		{goal: "-", from: "notes", into: "kb"},
	} {
		id := defaultID(f)
		require.NotContains(t, seen, id)
		seen[id] = f
		require.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{8}$`, id)
		f.requester = "ann.wu"
		_, err := f.whole("")
		require.NoError(t, err)
	}
	require.Regexp(t, `^task-[0-9a-f]{8}$`, defaultID(taskFlags{goal: "周报", from: "notes", into: "kb"}))
	long := defaultID(taskFlags{goal: strings.Repeat("very ", 500) + "long", from: "notes", into: "kb"})
	require.LessOrEqual(t, len(long), 50)
	require.NotEqual(t, long, defaultID(taskFlags{goal: strings.Repeat("very ", 501) + "long", from: "notes", into: "kb"}))
}

// Two files that mean the same are one input, however they are written.
func TestDigestIsOfTheMeaning(t *testing.T) {
	of := func(text string) string {
		t.Helper()
		task, err := taskFlags{file: taskFile(t, text)}.whole("login")
		require.NoError(t, err)
		sum, err := task.Digest()
		require.NoError(t, err)
		return sum.String()
	}
	want := of(taskYAML)
	for name, text := range map[string]string{
		"as JSON": `{"tools": [{"target": "kb", "tool": "gitpages"}], "requester": "ann.wu", "goal": "weekly\u0020report",
			"context": [{"path": "2026", "root": "notes", "include": ["**/*.md"]}], "business_id": "weekly-2026-W48", "tenant": "acme"}`,
		"with the defaults":     taskYAML + "planner: outline\nsemantic_version: v1\non_failure: stop\n",
		"with the kind":         strings.ReplaceAll(taskYAML, "- root: notes", "- kind: dir\n    root: notes"),
		"with a slash behind":   strings.ReplaceAll(taskYAML, `path: "2026"`, "path: 2026/"),
		"quoted otherwise":      strings.ReplaceAll(taskYAML, "goal: weekly report", "goal: >-\n  weekly\n  report"),
		"with a comment":        "# weekly\n" + taskYAML,
		"with an empty path":    strings.ReplaceAll(taskYAML, "target: kb", `target: kb, path: ""`),
		"with no exclude":       strings.ReplaceAll(taskYAML, "include:", "exclude: []\n    include:"),
		"with an unset planner": taskYAML + "planner:\n",
	} {
		require.Equal(t, want, of(text), name)
	}
	whole := strings.ReplaceAll(taskYAML, "    path: \"2026\"\n", "")
	require.Equal(t, of(whole), of(strings.ReplaceAll(taskYAML, `path: "2026"`, "path: .")), "all of the root")
	for name, text := range map[string]string{
		"goal":      strings.ReplaceAll(taskYAML, "weekly report", "weekly report."),
		"requester": strings.ReplaceAll(taskYAML, "ann.wu", "bo.lin"),
		"path":      whole,
		"globs":     strings.ReplaceAll(taskYAML, "**/*.md", "*.md"),
		"exclude":   strings.ReplaceAll(taskYAML, "include:", "exclude:"),
		"target":    strings.ReplaceAll(taskYAML, "target: kb", "target: kb2"),
		"version":   taskYAML + "semantic_version: v2\n",
		"failure":   taskYAML + "on_failure: continue\n",
		"planner":   taskYAML + "planner: other\n",
	} {
		require.NotEqual(t, want, of(text), name)
	}
}
