package gitpages_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// base is one knowledge base with a tool on it, and a person who works in it
// with plain git.
type base struct {
	t    *testing.T
	path string
	tool *gitpages.Tool
}

// newBase makes a knowledge base from nothing.
func newBase(t *testing.T) *base {
	t.Helper()
	return openBase(t, filepath.Join(t.TempDir(), "kb"))
}

func openBase(t *testing.T, path string) *base {
	t.Helper()
	return &base{t: t, path: path, tool: newTool(t, path, gitpages.Options{})}
}

func newTool(t *testing.T, path string, o gitpages.Options) *gitpages.Tool {
	t.Helper()
	needGit(t)
	tool, err := gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: path}}, o)
	require.NoError(t, err)
	return tool
}

func needGit(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "git is missing")
		t.Skip("git is missing")
	}
	return program
}

// git is the person's git: another identity, the same repository, and the
// settings of a machine that this test does not know.
func (b *base) git(args ...string) string {
	b.t.Helper()
	out, err := b.tryGit("", args...)
	require.NoError(b.t, err, "git %s: %s", strings.Join(args, " "), out)
	return out
}

func (b *base) tryGit(stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", b.path, "-c", "user.name=Mei", "-c", "user.email=mei@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

// person commits a page through the work tree.
func (b *base) person(page, content string) {
	b.t.Helper()
	b.save(page, content)
	b.git("add", "--", page)
	b.git("commit", "--quiet", "-m", "by hand: "+page)
}

// pushed lets a colleague's commit arrive from elsewhere, past the work tree.
func (b *base) pushed() {
	b.t.Helper()
	head := b.head()
	b.git("update-ref", "refs/heads/main", b.git("commit-tree", "-p", head, "-m", "from elsewhere", head+"^{tree}"), head)
}

// save writes a file into the work tree.
func (b *base) save(page, content string) {
	b.t.Helper()
	file := filepath.Join(b.path, filepath.FromSlash(page))
	require.NoError(b.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(b.t, os.WriteFile(file, []byte(content), 0o644))
}

func (b *base) file(page string) string {
	b.t.Helper()
	content, err := os.ReadFile(filepath.Join(b.path, filepath.FromSlash(page)))
	require.NoError(b.t, err)
	return string(content)
}

// commits counts what the branch reaches; 0 for a branch without a commit.
func (b *base) commits() int {
	b.t.Helper()
	if _, err := b.tryGit("", "rev-parse", "--verify", "--quiet", "main"); err != nil {
		return 0
	}
	return len(strings.Split(b.git("rev-list", "main"), "\n"))
}

func (b *base) head() string { return b.git("rev-parse", "main") }

func (b *base) marker(key string) string { return b.git("rev-parse", "refs/holdpoint/"+key) }

func (b *base) requireNoMarker(key string) {
	b.t.Helper()
	_, err := b.tryGit("", "rev-parse", "--verify", "--quiet", "refs/holdpoint/"+key)
	require.Error(b.t, err, "there is a marker of %s", key)
}

func (b *base) count(page, key string) int {
	b.t.Helper()
	n, err := b.tool.Count(b.t.Context(), tools.Call{Action: plan.Action{Target: "kb/" + page, IdempotencyKey: key}})
	require.NoError(b.t, err)
	return n
}

func (b *base) prepare(page, content string) (tools.Prepared, error) {
	return b.tool.Prepare(b.t.Context(), tools.Proposal{
		Tool: gitpages.Name, AllowedTarget: "kb", Parameters: params(b.t, page, content),
	})
}

// plan prepares a page and makes the approved call of it.
func (b *base) plan(page, content string) tools.Call {
	b.t.Helper()
	prepared, err := b.prepare(page, content)
	require.NoError(b.t, err)
	return approved(prepared, "v1")
}

func (b *base) apply(c tools.Call) (plan.Receipt, error) { return b.tool.Apply(b.t.Context(), c) }

// write is plan and apply.
func (b *base) write(page, content string) plan.Receipt {
	b.t.Helper()
	receipt, err := b.apply(b.plan(page, content))
	require.NoError(b.t, err)
	return receipt
}

func params(t *testing.T, page, content string) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"page": page, "content": content, "title": "Report"})
	require.NoError(t, err)
	return raw
}

func approved(p tools.Prepared, semanticVersion string) tools.Call {
	key := plan.Identity{
		Tenant: "acme", BusinessID: "weekly-2026-W48", Tool: gitpages.Name,
		Target: p.Target, Item: p.Item, SemanticVersion: semanticVersion,
	}.Key()
	return tools.Call{
		RunID:    "acme/weekly-2026-W48",
		PlanHash: plan.Sum([]byte("a plan")),
		Approver: "mei.chen@example.com",
		Action: plan.Action{
			ID: "a1", Tool: gitpages.Name, ToolVersion: "1", Target: p.Target, Item: p.Item,
			Parameters: p.Parameters, Precondition: p.Precondition, IdempotencyKey: key,
		},
	}
}

func keyOf(c tools.Call) string { return c.Action.IdempotencyKey }

// requireFault checks the class and code of an error, and that its text stays
// short and tells nothing about the machine.
func requireFault(t *testing.T, err error, class faults.Class, code string) *faults.Fault {
	t.Helper()
	var fault *faults.Fault
	require.ErrorAs(t, err, &fault)
	require.Equal(t, class.String(), fault.Class.String(), "%v", err)
	require.Equal(t, code, fault.Code, "%v", err)
	require.Less(t, len(err.Error()), 800)
	require.NotContains(t, err.Error(), os.TempDir()+"/")
	require.NotContains(t, err.Error(), "\n")
	return fault
}

// eventually bounds what must not hang.
func eventually(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
