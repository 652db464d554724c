package gitpages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/gitdaemon"
)

const (
	patience = 30 * time.Second // for what happens in other processes
	tick     = 5 * time.Millisecond
)

// hub is a remote repository with a tool on it, and a colleague who works in a
// clone of her own with plain git. As a base it is the remote itself: commits,
// markers and keys are counted there.
type hub struct {
	*base
	url  string
	mate *base
}

// newHub makes a remote with one commit.
func newHub(t *testing.T) *hub {
	t.Helper()
	h := bareHub(t)
	h.tool = h.worker(gitpages.Options{})
	return h
}

// servedHub is a hub that the tool reaches by Git's own protocol over TCP.
func servedHub(t *testing.T) (*hub, *gitdaemon.Server) {
	t.Helper()
	h := bareHub(t)
	server := gitdaemon.Start(t, filepath.Dir(h.path))
	h.url = server.URL(filepath.Base(h.path))
	h.tool = h.worker(gitpages.Options{})
	return h, server
}

// bareHub is a hub without its tool.
func bareHub(t *testing.T) *hub {
	t.Helper()
	needGit(t)
	h := hubAt(t, filepath.Join(t.TempDir(), "kb.git"))
	require.NoError(t, os.CopyFS(h.path, os.DirFS(seeded(t))))
	return h
}

// emptyHub is one without a commit.
func emptyHub(t *testing.T) *hub {
	t.Helper()
	needGit(t)
	h := hubAt(t, filepath.Join(t.TempDir(), "kb.git"))
	(&base{t: t, path: filepath.Dir(h.path)}).git("init", "--quiet", "--bare", "--template=", "--initial-branch=main", h.path)
	h.tool = h.worker(gitpages.Options{})
	return h
}

func hubAt(t *testing.T, path string) *hub {
	t.Helper()
	return &hub{base: &base{t: t, path: path}, url: "file://" + path}
}

// seeded is a bare repository with one commit, to be copied.
func seeded(t *testing.T) string {
	t.Helper()
	path := filepath.Join(shared, "seeded.git")
	if _, err := os.Stat(path); err != nil {
		b := &base{t: t, path: shared}
		b.git("init", "--quiet", "--template=", "--initial-branch=main", "seed")
		b.path = filepath.Join(shared, "seed")
		b.person("seed.md", "seed\n")
		b.git("clone", "--quiet", "--bare", "--template=", b.path, path)
		b.git("-C", path, "remote", "remove", "origin")
	}
	return path
}

// colleague's clone is made when she has something to do.
func (h *hub) colleague() *base {
	h.t.Helper()
	if h.mate == nil {
		h.mate = &base{t: h.t, path: h.t.TempDir()}
		h.mate.git("clone", "--quiet", "--template=", h.path, ".")
	} else {
		h.mate.git("pull", "--quiet", "--rebase", "origin", "main")
	}
	return h.mate
}

// worker is a tool as another worker has it: with a cache of its own.
func (h *hub) worker(o gitpages.Options) *gitpages.Tool {
	h.t.Helper()
	return h.workerAt(filepath.Join(h.t.TempDir(), "cache.git"), o)
}

func (h *hub) workerAt(cache string, o gitpages.Options) *gitpages.Tool {
	h.t.Helper()
	tool, err := gitpages.New(h.t.Context(), []gitpages.Repo{{Name: "kb", Path: cache, Remote: h.url}}, o)
	require.NoError(h.t, err)
	return tool
}

// pushes lets the colleague push a page.
func (h *hub) pushes(page, content string) {
	h.t.Helper()
	mate := h.colleague()
	mate.person(page, content)
	mate.git("push", "--quiet", "origin", "main")
}

// readyToPush lets the colleague commit a page, and returns shell lines that
// push it, once.
func (h *hub) readyToPush(page, content string) string {
	h.t.Helper()
	mate := h.colleague()
	mate.person(page, content)
	return fmt.Sprintf(`if mkdir '%s' 2>/dev/null; then env -i PATH="$PATH" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 %s -C '%s' push --quiet origin main; fi`,
		filepath.Join(h.t.TempDir(), "pushed"), realGit(h.t), mate.path)
}

// page is what the remote's branch holds.
func (h *hub) page(path string) string { return h.git("show", "main:"+path) }

// hook makes a hook of the remote.
func (h *hub) hook(name, lines string) {
	h.t.Helper()
	require.NoError(h.t, os.MkdirAll(filepath.Join(h.path, "hooks"), 0o755))
	require.NoError(h.t, os.WriteFile(filepath.Join(h.path, "hooks", name), []byte("#!/bin/sh\n"+lines+"\n"), 0o755))
}

func (h *hub) noHooks() {
	h.t.Helper()
	require.NoError(h.t, os.RemoveAll(filepath.Join(h.path, "hooks")))
}

// counted makes the remote count the pushes that it takes in, and returns how
// many there were.
func (h *hub) counted() func() int {
	file := filepath.Join(h.t.TempDir(), "pushes")
	h.hook("pre-receive", "echo push >>'"+file+"'")
	return func() int {
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			return 0
		}
		require.NoError(h.t, err)
		return strings.Count(string(text), "push\n")
	}
}

// gate holds processes up: shell lines for them, and the two ends of it for a
// test.
type gate struct {
	t             *testing.T
	reached, open string
}

func newGate(t *testing.T) *gate {
	t.Helper()
	dir := t.TempDir()
	return &gate{t, filepath.Join(dir, "reached"), filepath.Join(dir, "open")}
}

// lines stop whoever runs them until the gate opens, and no longer than the
// test lasts. They print nothing, as to a client that is gone that would be
// the end.
func (g *gate) lines() string {
	return fmt.Sprintf(`echo x >>'%s'; while [ ! -e '%s' ] && [ -e '%s' ]; do sleep 0.02; done`, g.reached, g.open, filepath.Dir(g.open))
}

// waitFor waits until n processes have reached the gate.
func (g *gate) waitFor(n int) {
	g.t.Helper()
	require.Eventually(g.t, func() bool {
		text, err := os.ReadFile(g.reached)
		return err == nil && strings.Count(string(text), "x\n") >= n
	}, patience, tick)
}

func (g *gate) let() {
	g.t.Helper()
	require.NoError(g.t, os.WriteFile(g.open, nil, 0o600))
}

// requireEffect checks at the remote that the page is there by one commit of
// the key, whose receipt this is, and that nothing was lost on the way: every
// commit has the one before it as its only parent.
func (h *hub) requireEffect(call tools.Call, receipt plan.Receipt, commits int) {
	h.t.Helper()
	page := strings.TrimPrefix(call.Action.Target, "kb/")
	require.Equal(h.t, receipt.Ref, h.marker(keyOf(call)))
	require.Equal(h.t, 1, h.count(page, keyOf(call)))
	require.Contains(h.t, strings.Split(h.git("rev-list", "main"), "\n"), receipt.Ref)
	require.Equal(h.t, commits, h.commits())
	require.Empty(h.t, h.git("rev-list", "--merges", "main"))
}

// race lets workers carry out n calls at once.
func (h *hub) race(n, workers int, call func(i int) tools.Call) []plan.Receipt {
	h.t.Helper()
	var rivals []*gitpages.Tool
	for range workers {
		rivals = append(rivals, h.worker(gitpages.Options{}))
	}
	ctx := eventually(h.t)
	receipts, errs := together(n, func(i int) (plan.Receipt, error) { return rivals[i%workers].Apply(ctx, call(i)) })
	requireAllDone(h.t, errs)
	return receipts
}
