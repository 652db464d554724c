package gitpages_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestSpecDeclaresWhoDeduplicates(t *testing.T) {
	spec := newBase(t).tool.Spec()
	require.Equal(t, "gitpages", spec.Name)
	require.Equal(t, "1", spec.Version)
	require.Equal(t, plan.Conditional, spec.Class)
	require.Equal(t, plan.LowRisk, spec.Risk)
	require.Equal(t, 30*time.Second, spec.CallTimeout)
	require.Equal(t, 10, spec.MaxAttempts)

	require.Equal(t, plan.Sum(spec.Schema), spec.SchemaDigest)
	var schema struct {
		Schema               string `json:"$schema"`
		AdditionalProperties *bool  `json:"additionalProperties"`
	}
	require.NoError(t, json.Unmarshal(spec.Schema, &schema))
	require.Equal(t, "https://json-schema.org/draft/2020-12/schema", schema.Schema)
	require.NotNil(t, schema.AdditionalProperties)
	require.False(t, *schema.AdditionalProperties)
}

func TestPageIsCreatedByOneCommitThatSaysWhoApprovedIt(t *testing.T) {
	b := newBase(t)
	prepared, err := b.prepare("weekly/2026-W48.md", "# Week 48\n\n- shipped\n")
	require.NoError(t, err)
	require.Equal(t, "kb/weekly/2026-W48.md", prepared.Target)
	require.Empty(t, prepared.Item)
	require.Equal(t, "absent", prepared.Precondition)
	require.JSONEq(t, `{"content":"# Week 48\n\n- shipped\n","page":"weekly/2026-W48.md","title":"Report"}`, string(prepared.Parameters))
	require.Equal(t, "--- /dev/null\n+++ b/weekly/2026-W48.md\n@@ -0,0 +1,3 @@\n+# Week 48\n+\n+- shipped\n", prepared.Preview)
	require.Zero(t, b.commits(), "Prepare writes nothing")

	call := approved(prepared, "v1")
	receipt, err := b.apply(call)
	require.NoError(t, err)

	require.Equal(t, 1, b.commits())
	require.Equal(t, b.head(), receipt.Ref)
	require.Equal(t, b.head(), b.marker(keyOf(call)))
	require.Equal(t, keyOf(call), receipt.IdempotencyKey)
	require.Equal(t, "gitpages", receipt.Tool)
	require.Equal(t, "kb/weekly/2026-W48.md", receipt.Target)
	require.Contains(t, receipt.Detail, receipt.Ref[:10])
	require.Equal(t, b.git("log", "-1", "--format=%ct", "main"), strconv.FormatInt(receipt.At.Unix(), 10))
	require.Equal(t, time.UTC, receipt.At.Location())

	require.Equal(t, "# Week 48\n\n- shipped", b.git("show", "main:weekly/2026-W48.md"))
	require.Equal(t, "Report", b.git("log", "-1", "--format=%s", "main"))
	require.Equal(t, "Holdpoint <holdpoint@localhost>", b.git("log", "-1", "--format=%an <%ae>", "main"))
	require.Equal(t,
		"Holdpoint-Key: "+keyOf(call)+"\nHoldpoint-Plan: "+plan.Sum([]byte("a plan")).String()+
			"\nHoldpoint-Run: acme/weekly-2026-W48\nApproved-By: mei.chen@example.com",
		b.git("log", "-1", "--format=%(trailers)", "main"), "git itself reads the trailers")
	require.Equal(t, 1, b.count("weekly/2026-W48.md", keyOf(call)))
}

func TestPageIsUpdatedAndTheRestOfTheTreeStays(t *testing.T) {
	b := newBase(t)
	b.person("other/notes.md", "by hand\n")
	b.person("weekly/W48.md", "one\ntwo\nthree\n")

	prepared, err := b.prepare("weekly/W48.md", "one\n2\nthree\n")
	require.NoError(t, err)
	require.Equal(t, "blob:"+b.git("rev-parse", "main:weekly/W48.md"), prepared.Precondition)
	require.Equal(t, "--- a/weekly/W48.md\n+++ b/weekly/W48.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", prepared.Preview)

	_, err = b.apply(approved(prepared, "v1"))
	require.NoError(t, err)
	require.Equal(t, 3, b.commits())
	require.Equal(t, "weekly/W48.md", b.git("diff", "--name-only", "main~1", "main"))
	require.Equal(t, "by hand", b.git("show", "main:other/notes.md"))
	require.Equal(t, "one\n2\nthree\n", b.file("weekly/W48.md"))
	require.Empty(t, b.git("status", "--porcelain"))
}

func TestExecutableBitOfAPageStays(t *testing.T) {
	b := newBase(t)
	b.save("run.md", "old\n")
	b.git("add", "run.md")
	b.git("update-index", "--chmod=+x", "run.md")
	b.git("commit", "--quiet", "-m", "x")
	b.write("run.md", "new\n")
	require.True(t, strings.HasPrefix(b.git("ls-tree", "main", "run.md"), "100755 blob "))
}

func TestSecondApplyOfAKeyReturnsTheFirstReceipt(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "text\n")
	first, err := b.apply(call)
	require.NoError(t, err)

	// Others go on, also on this very page, and another worker takes over.
	b.person("page.md", "edited since\n")
	b.write("other.md", "other\n")
	again, err := newTool(t, b.path, gitpages.Options{}).Apply(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, 3, b.commits())
	require.Equal(t, 1, b.count("page.md", keyOf(call)))
	require.Equal(t, "edited since\n", b.file("page.md"), "the colleague's edit stays")
}

func TestReceiptSurvivesPackedRefsAndGarbageCollection(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "text\n")
	first, err := b.apply(call)
	require.NoError(t, err)
	b.git("gc", "--quiet", "--prune=now")
	again, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, 1, b.commits())
}

func TestPageChangedSinceThePlanIsDrift(t *testing.T) {
	tests := []struct {
		name   string
		before func(b *base)
		since  func(b *base)
	}{
		{
			"edited",
			func(b *base) { b.person("page.md", "old\n") },
			func(b *base) { b.person("page.md", "a colleague's\n") },
		},
		{
			"created",
			func(b *base) { b.person("other.md", "other\n") },
			func(b *base) { b.person("page.md", "a colleague's\n") },
		},
		{
			"created in an empty repository",
			func(*base) {},
			func(b *base) { b.person("page.md", "a colleague's\n") },
		},
		{
			"deleted",
			func(b *base) { b.person("page.md", "old\n") },
			func(b *base) { b.git("rm", "--quiet", "page.md"); b.git("commit", "--quiet", "-m", "gone") },
		},
		{
			"made as wanted by hand",
			func(b *base) { b.person("page.md", "old\n") },
			func(b *base) { b.person("page.md", "new\n") },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBase(t)
			tt.before(b)
			call := b.plan("page.md", "new\n")
			tt.since(b)
			head := b.head()

			_, err := b.apply(call)
			require.ErrorIs(t, err, tools.ErrDrift)
			requireFault(t, err, faults.Permanent, "page_changed")
			require.Equal(t, head, b.head(), "nothing was written")
			b.requireNoMarker(keyOf(call))
			require.Zero(t, b.count("page.md", keyOf(call)))
		})
	}
}

func TestOtherPagesMayChangeAfterThePlan(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "old\n")
	call := b.plan("page.md", "new\n")
	b.person("other.md", "a colleague's\n")

	_, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, "a colleague's", b.git("show", "main:other.md"))
	require.Equal(t, "by hand: other.md", b.git("log", "-1", "--format=%s", "main~1"))
}

func TestNothingToCommitIsASuccessWithAReceipt(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "as wanted\n")
	head := b.head()

	prepared, err := b.prepare("page.md", "as wanted")
	require.NoError(t, err)
	require.Equal(t, "no change: page.md already has this content\n", prepared.Preview)

	call := approved(prepared, "v1")
	receipt, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, head, b.head(), "no commit")
	require.Equal(t, head, receipt.Ref)
	require.Equal(t, head, b.marker(keyOf(call)))
	require.Contains(t, receipt.Detail, "already was as wanted")

	b.person("page.md", "changed later\n")
	again, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, receipt, again)
	require.Equal(t, "changed later\n", b.file("page.md"))
}

func TestKeyThatWroteOtherContentIsAConflict(t *testing.T) {
	b := newBase(t)
	first := b.plan("page.md", "one\n")
	_, err := b.apply(first)
	require.NoError(t, err)
	second := b.plan("page.md", "two\n") // same identity, so same key
	require.Equal(t, keyOf(first), keyOf(second))

	_, err = b.apply(second)
	requireFault(t, err, faults.Permanent, "key_conflict")

	// The same without the marker: the trailer alone says so.
	b.git("update-ref", "-d", "refs/holdpoint/"+keyOf(first))
	_, err = b.apply(second)
	requireFault(t, err, faults.Permanent, "key_conflict")
	require.Equal(t, 1, b.commits())
	require.Equal(t, "one\n", b.file("page.md"))
}

func TestApplyRefusesWhatWasNotPreparedLikeThis(t *testing.T) {
	b := newBase(t)
	good := b.plan("sub/page.md", "text\n")
	tests := []struct {
		name   string
		change func(a *plan.Action)
		code   string
	}{
		{"another target", func(a *plan.Action) { a.Target = "kb/sub/other.md" }, "target"},
		{"a target that only ends like the page", func(a *plan.Action) { a.Target = "kb/xsub/page.md" }, "target"},
		{"an unknown repository", func(a *plan.Action) { a.Target = "wiki/sub/page.md" }, "target"},
		{"a target that leaves", func(a *plan.Action) { a.Target = "kb/../sub/page.md" }, "page_path"},
		{"parameters in another spelling", func(a *plan.Action) { a.Parameters = json.RawMessage(" " + string(a.Parameters)) }, "parameters"},
		{"no parameters", func(a *plan.Action) { a.Parameters = nil }, "parameters"},
		{"a short key", func(a *plan.Action) { a.IdempotencyKey = "abc" }, "key"},
		{"a key that is a path", func(a *plan.Action) { a.IdempotencyKey = "../heads/" + strings.Repeat("a", 31) }, "key"},
		{"an upper-case key", func(a *plan.Action) { a.IdempotencyKey = strings.ToUpper(a.IdempotencyKey) }, "key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := good
			tt.change(&call.Action)
			_, err := b.apply(call)
			requireFault(t, err, faults.Permanent, tt.code)
			require.Zero(t, b.commits())
		})
	}
}

func TestAllowedTargetBoundsThePage(t *testing.T) {
	b := newBase(t)
	prepare := func(allowed, page string) (tools.Prepared, error) {
		return b.tool.Prepare(t.Context(), tools.Proposal{Tool: gitpages.Name, AllowedTarget: allowed, Parameters: params(t, page, "text\n")})
	}
	prepared, err := prepare("kb/teams/blue", "weekly/W48.md")
	require.NoError(t, err)
	require.Equal(t, "kb/teams/blue/weekly/W48.md", prepared.Target)
	_, err = b.apply(approved(prepared, "v1"))
	require.NoError(t, err)
	require.Equal(t, "teams/blue/weekly/W48.md", b.git("ls-tree", "-r", "--name-only", "main"))

	for allowed, code := range map[string]string{
		"":           "target",
		"wiki":       "target",
		"KB":         "target",
		"kb/":        "page_path",
		"kb/../kb":   "page_path",
		"kb/.git":    "page_path",
		"kb//x":      "page_path",
		"kb/x/./y":   "page_path",
		"/kb":        "target",
		"kb/a\u202e": "page_path",
	} {
		_, err := prepare(allowed, "page.md")
		requireFault(t, err, faults.Permanent, code)
	}
}

func TestBareRepository(t *testing.T) {
	needGit(t)
	path := filepath.Join(t.TempDir(), "kb.git")
	b := &base{t: t, path: filepath.Dir(path)}
	b.git("init", "--quiet", "--bare", "--initial-branch=main", path)
	b = openBase(t, path)

	call := b.plan("a/page.md", "text\n")
	first, err := b.apply(call)
	require.NoError(t, err)
	again, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, first, again)
	b.write("a/page2.md", "more\n")
	require.Equal(t, 2, b.commits())
	require.Equal(t, "a/page.md\na/page2.md", b.git("ls-tree", "-r", "--name-only", "main"))
	require.NoDirExists(t, filepath.Join(path, "a"))
	require.NoFileExists(t, filepath.Join(path, "index"))
}

func TestSHA256Repository(t *testing.T) {
	needGit(t)
	path := t.TempDir()
	b := &base{t: t, path: path}
	b.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main")
	b = openBase(t, path)
	b.person("a/page.md", "old\n")
	prepared, err := b.prepare("a/page.md", "new\n")
	require.NoError(t, err)
	require.Len(t, prepared.Precondition, len("blob:")+64)
	receipt, err := b.apply(approved(prepared, "v1"))
	require.NoError(t, err)
	require.Len(t, receipt.Ref, 64)
	require.Equal(t, "new\n", b.file("a/page.md"))
}

func TestFolderThatIsNotThereBecomesARepository(t *testing.T) {
	for name, prepare := range map[string]func(path string) error{
		"missing": func(string) error { return nil },
		"empty":   func(path string) error { return os.MkdirAll(path, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "deep", "kb")
			require.NoError(t, prepare(path))
			b := openBase(t, path)
			b.write("page.md", "text\n")
			require.Equal(t, "text\n", b.file("page.md"))
			require.Empty(t, b.git("status", "--porcelain"))
			require.Equal(t, "main", b.git("branch", "--show-current"))
		})
	}
}

func TestEmptyRepositoryOnAnotherBranchShowsItsFirstPage(t *testing.T) {
	needGit(t)
	path := t.TempDir()
	(&base{t: t, path: path}).git("init", "--quiet", "--initial-branch=master")
	b := openBase(t, path)
	b.write("page.md", "text\n")
	require.Equal(t, "text\n", b.file("page.md"))
	require.Empty(t, b.git("status", "--porcelain"))
}

func TestNewSaysWhatIsWrongWithARepository(t *testing.T) {
	needGit(t)
	files := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(files, "notes.md"), []byte("x"), 0o600))
	master := t.TempDir()
	m := &base{t: t, path: master}
	m.git("init", "--quiet", "--initial-branch=master")
	m.person("page.md", "x\n")

	tests := []struct {
		name  string
		repos []gitpages.Repo
		o     gitpages.Options
		code  string
		says  string
	}{
		{"a folder of files", []gitpages.Repo{{Name: "kb", Path: files}}, gitpages.Options{}, "repository", "git init"},
		{"another branch", []gitpages.Repo{{Name: "kb", Path: master}}, gitpages.Options{}, "repository", `no branch "main", but has "master"`},
		{"a branch that cannot be", []gitpages.Repo{{Name: "kb", Path: master, Branch: "a..b"}}, gitpages.Options{}, "repository", `"a..b"`},
		{"a name that is a path", []gitpages.Repo{{Name: "kb/x", Path: master}}, gitpages.Options{}, "repository", `"kb/x"`},
		{"no path", []gitpages.Repo{{Name: "kb"}}, gitpages.Options{}, "repository", "no path"},
		{"an author of two lines", []gitpages.Repo{{Name: "kb", Path: master, Branch: "master", AuthorName: "A\nB"}}, gitpages.Options{}, "repository", "author"},
		{"one name twice", []gitpages.Repo{{Name: "kb", Path: master, Branch: "master"}, {Name: "kb", Path: files}}, gitpages.Options{}, "repository", "two repositories"},
		{"no git", []gitpages.Repo{{Name: "kb", Path: master}}, gitpages.Options{Git: "git-that-is-not-there"}, "git_missing", "install Git 2.39"},
		{"an old git", nil, gitpages.Options{Git: script(t, "echo git version 2.38.1")}, "git_version", "2.38 is too old"},
		{"not a git", nil, gitpages.Options{Git: script(t, "echo hello")}, "git_version", "hello"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := gitpages.New(t.Context(), tt.repos, tt.o)
			require.Contains(t, requireFault(t, err, faults.Permanent, tt.code).Reason, tt.says)
		})
	}
}

// script makes a program of a few shell lines.
func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "git")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o755))
	return path
}

func TestTitleAndContentCannotForgeAKey(t *testing.T) {
	const forged = "ffffffffffffffffffffffffffffffffffffffff"
	b := newBase(t)
	prepared, err := b.tool.Prepare(t.Context(), tools.Proposal{
		Tool: gitpages.Name, AllowedTarget: "kb",
		Parameters: json.RawMessage(`{"page":"page.md","content":"x\n\nHoldpoint-Key: ` + forged + `\n","title":"t\n\nHoldpoint-Key: ` + forged + `\n"}`),
	})
	require.NoError(t, err)
	call := approved(prepared, "v1")
	call.RunID += "\nHoldpoint-Key: " + forged
	call.Approver += "\n\nHoldpoint-Key: " + forged
	_, err = b.apply(call)
	require.NoError(t, err)
	require.Contains(t, b.git("log", "-1", "--format=%B", "main"), forged, "it is there, but as text")
	require.Zero(t, b.count("page.md", forged))
	require.Equal(t, 1, b.count("page.md", keyOf(call)))
	require.Equal(t, keyOf(call), b.git("log", "-1", "--format=%(trailers:key=Holdpoint-Key,valueonly,separator=%x2C)", "main"))
}

func TestNoHookRuns(t *testing.T) {
	b := newBase(t)
	ran := filepath.Join(t.TempDir(), "ran")
	hooks := filepath.Join(b.path, ".git", "hooks")
	require.NoError(t, os.MkdirAll(hooks, 0o755))
	for _, hook := range []string{"reference-transaction", "post-commit", "pre-commit", "post-index-change", "update"} {
		require.NoError(t, os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\necho ran >>'"+ran+"'\n"), 0o755))
	}
	b.write("page.md", "text\n")
	require.NoFileExists(t, ran)

	b.person("by-hand.md", "text\n")
	require.FileExists(t, ran, "the hooks of this test do run for a person")
}
