package gitpages_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// What a remote says no to, at the push: nothing was written, and the cause
// is named.
func TestPushThatTheRemoteDeclines(t *testing.T) {
	const secret = "echo TOP-SECRET >&2; exit 1"
	for name, tt := range map[string]struct {
		set   func(h *hub)
		class faults.Class
		code  string
		says  string
	}{
		"pre-receive hook": {
			func(h *hub) { h.hook("pre-receive", secret) },
			faults.Permanent, "push_refused", `refused the push: "pre-receive hook declined"`,
		},
		"update hook, of the branch": {
			func(h *hub) { h.hook("update", "[ $1 != refs/heads/main ] || { "+secret+"; }") },
			faults.Permanent, "push_refused", `refused the push: "hook declined"`,
		},
		"update hook, of the marker": {
			func(h *hub) { h.hook("update", "[ $1 = refs/heads/main ] || { "+secret+"; }") },
			faults.Permanent, "push_refused", `refused the push: "hook declined"`,
		},
		"no atomic pushes": {
			func(h *hub) { h.git("config", "receive.advertiseAtomic", "false") },
			faults.Permanent, "remote_not_atomic", "does not support --atomic push",
		},
		"the branch is checked out there": {
			func(h *hub) { h.git("config", "core.bare", "false"); h.git("config", "core.worktree", h.t.TempDir()) },
			faults.Permanent, "push_refused", "branch is currently checked out",
		},
		"a hook that blames the network": {
			func(h *hub) {
				h.hook("pre-receive", "echo 'fatal: unable to access: Could not resolve host' >&2; exit 1")
			},
			faults.Permanent, "push_refused", `refused the push: "pre-receive hook declined"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t)
			call := h.plan("page.md", "text\n")
			tt.set(h)
			_, err := h.apply(call)
			require.Contains(t, requireFault(t, err, tt.class, tt.code).Reason, tt.says)
			require.NotContains(t, err.Error(), "SECRET")
			require.Equal(t, 1, h.commits())
			h.requireNoMarker(keyOf(call))
		})
	}
}

// What keeps the tool from a remote, before anything was asked of it.
func TestRemoteThatCannotBeReached(t *testing.T) {
	needGit(t)
	_, server := servedHub(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	silent := hangsUp(t)
	// With the branch in its cache the tool asks for nothing when it starts.
	h := newHub(t)
	cache := filepath.Join(t.TempDir(), "cache.git")
	h.workerAt(cache, gitpages.Options{})
	for name, tt := range map[string]struct {
		url   string
		class faults.Class
		code  string
	}{
		"nobody listens":                     {"git://" + closed.Addr().String() + "/kb.git", faults.Transient, "remote_unreachable"},
		"nobody listens, HTTP":               {"http://" + closed.Addr().String() + "/kb.git", faults.Transient, "remote_unreachable"},
		"nobody listens, ssh":                {"ssh://git@" + closed.Addr().String() + "/kb.git", faults.Transient, "remote_unreachable"},
		"it hangs up":                        {"git://" + silent + "/kb.git", faults.Transient, "remote_unreachable"},
		"it hangs up, HTTP":                  {"http://" + silent + "/kb.git", faults.Transient, "remote_unreachable"},
		"no such host":                       {"https://holdpoint.invalid/kb.git", faults.Transient, "remote_unreachable"},
		"no such host, ssh":                  {"git@holdpoint.invalid:kb.git", faults.Transient, "remote_unreachable"},
		"no such repository":                 {server.URL("none.git"), faults.Permanent, "remote_missing"},
		"no such folder":                     {filepath.Join(t.TempDir(), "none.git"), faults.Permanent, "remote_missing"},
		"no such folder, as a URL":           {"file://" + filepath.Join(t.TempDir(), "none.git"), faults.Permanent, "remote_missing"},
		"a name that must not be in a fault": {"ssh://USER-SECRET@" + closed.Addr().String() + "/PATH-SECRET.git", faults.Transient, "remote_unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			h.url = tt.url
			h.tool = h.workerAt(cache, gitpages.Options{})
			_, err := h.prepare("page.md", "text\n")
			requireFault(t, err, tt.class, tt.code)
			require.NotContains(t, err.Error(), "SECRET")
			require.NotContains(t, err.Error(), "git@")
		})
	}
}

// hangsUp is an address whose connections end as soon as they are made.
func hangsUp(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	return listener.Addr().String()
}

// ssh is a program that git starts with a host and a command: here one that
// carries the command out, or says what ssh says.
func TestRemoteOverSSH(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	t.Setenv("GIT_SSH_VARIANT", "ssh")
	t.Setenv("GIT_SSH_COMMAND", script(t, `echo "$@" >>'`+asked+`'; for last; do :; done; eval "$last"`))
	h := newHub(t)
	h.url = "git@git.example.com:" + h.path
	h.tool = h.worker(gitpages.Options{})
	call := h.plan("page.md", "text\n")
	receipt, err := h.apply(call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 2)
	text, err := os.ReadFile(asked)
	require.NoError(t, err)
	require.Contains(t, string(text), "git@git.example.com git-receive-pack '"+h.path+"'")

	// The environment is read when the tool is made, and with the branch in its
	// cache the tool then asks for nothing.
	cache := filepath.Join(t.TempDir(), "cache.git")
	h.workerAt(cache, gitpages.Options{})
	for _, tt := range []struct {
		says  string
		class faults.Class
		code  string
	}{
		{"git@git.example.com: Permission denied (publickey).", faults.Permanent, "remote_denied"},
		{"Host key verification failed.", faults.Permanent, "remote_denied"},
		{"ERROR: Repository not found.", faults.Permanent, "remote_missing"},
		{"ssh: connect to host git.example.com port 22: Connection timed out", faults.Transient, "remote_unreachable"},
		{"kex_exchange_identification: Connection closed by remote host", faults.Transient, "remote_unreachable"},
	} {
		t.Run(tt.code+" "+tt.says[:8], func(t *testing.T) {
			t.Setenv("GIT_SSH_COMMAND", script(t, "echo '"+tt.says+"' >&2; exit 255"))
			h.tool = h.workerAt(cache, gitpages.Options{})
			_, err := h.prepare("page.md", "text\n")
			requireFault(t, err, tt.class, tt.code)
		})
	}
}

func TestRemoteThatIsAwayAtTheStart(t *testing.T) {
	h, server := servedHub(t)
	require.NoError(t, server.Kill())
	tool := h.worker(gitpages.Options{}) // no reason not to start
	h.tool = tool
	_, err := h.prepare("page.md", "text\n")
	requireFault(t, err, faults.Transient, "remote_unreachable")

	require.NoError(t, server.Start(t.Context()))
	call := h.plan("page.md", "text\n")
	require.NoError(t, server.Kill())
	_, err = h.apply(call)
	requireFault(t, err, faults.Transient, "remote_unreachable")

	require.NoError(t, server.Start(t.Context()))
	receipt, err := h.apply(call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 2)
}

// The remote dies between the look and the push: the push never got there.
func TestRemoteThatGoesAwayBeforeThePush(t *testing.T) {
	h, server := servedHub(t)
	call, g := h.plan("page.md", "text\n"), newGate(t)
	tool := h.worker(gitpages.Options{Git: onCommand(t, "push", g.lines()+"; exec "+realGit(t)+` "$@"`)})
	ended := make(chan error, 1)
	go func() {
		_, err := tool.Apply(eventually(t), call)
		ended <- err
	}()
	g.waitFor(1)
	require.NoError(t, server.Kill())
	g.let()
	requireFault(t, <-ended, faults.Transient, "remote_unreachable")
}

// C030 with a connection that is cut, while the remote goes on.
func TestC030_ConnectionIsCutInTheMiddleOfThePush(t *testing.T) {
	for _, hook := range lateHooks() {
		t.Run(hook, func(t *testing.T) {
			h, server := servedHub(t)
			wire := newWire(t, server.Address())
			h.url = "git://" + wire.address + "/" + filepath.Base(h.path)
			h.tool = h.worker(gitpages.Options{})
			call, g := h.plan("page.md", "text\n"), newGate(t)
			h.hook(hook, g.lines())
			ended := make(chan error, 1)
			go func() {
				_, err := h.apply(call)
				ended <- err
			}()
			g.waitFor(1)
			wire.cut()
			err := <-ended
			if hook == "pre-receive" {
				requireFault(t, err, faults.Unknown, "push_unknown")
			} else {
				require.NoError(t, err, "a look at the remote found it")
			}
			g.let()
			h.arrived(keyOf(call))
			made := h.head()
			h.pushes("other.md", "a colleague's\n")

			receipt, err := h.worker(gitpages.Options{}).Apply(eventually(t), call)
			require.NoError(t, err)
			require.Equal(t, made, receipt.Ref)
			h.requireEffect(call, receipt, 3)
		})
	}
}

// wire carries TCP connections until they are cut.
type wire struct {
	address string
	mu      sync.Mutex
	open    []net.Conn
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w := &wire{address: listener.Addr().String()}
	t.Cleanup(func() { listener.Close(); w.cut() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				near.Close()
				continue
			}
			w.mu.Lock()
			w.open = append(w.open, near, far)
			w.mu.Unlock()
			go w.carry(near, far)
			go w.carry(far, near)
		}
	}()
	return w
}

func (w *wire) carry(from, to net.Conn) {
	_, _ = io.Copy(to, from)
	if to, ok := to.(*net.TCPConn); ok {
		_ = to.CloseWrite()
	}
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range w.open {
		if conn, ok := conn.(*net.TCPConn); ok {
			_ = conn.SetLinger(0) // a reset
		}
		conn.Close()
	}
	w.open = nil
}

func TestFetchThatIsCutIsTransient(t *testing.T) {
	h := newHub(t)
	tool := h.worker(gitpages.Options{Git: onCommand(t, "fetch", `echo "fetch-pack: unexpected disconnect while reading sideband packet" >&2; echo "fatal: early EOF" >&2; exit 128`)})
	h.pushes("other.md", "other\n")
	h.tool = tool
	_, err := h.prepare("page.md", "text\n")
	requireFault(t, err, faults.Transient, "remote_unreachable")
}

// A cache of which a fetch was killed may have a commit and not its tree.
func TestCacheThatAKilledFetchLeft(t *testing.T) {
	h := newHub(t)
	cache := filepath.Join(t.TempDir(), "cache.git")
	tool := h.workerAt(cache, gitpages.Options{})
	h.pushes("page.md", "old\n")
	head, raw := h.head(), h.git("cat-file", "commit", "main")
	c := &base{t: t, path: cache}
	out, err := c.tryGit(raw+"\n", "hash-object", "-t", "commit", "-w", "--stdin")
	require.NoError(t, err, out)
	require.Equal(t, head, out, "the commit is there, alone")

	h.tool = tool
	prepared, err := h.prepare("page.md", "new\n")
	require.NoError(t, err)
	require.Equal(t, "blob:"+h.git("rev-parse", "main:page.md"), prepared.Precondition)
}

func TestCacheIsMadeAnewAndKept(t *testing.T) {
	h := newHub(t)
	cache := filepath.Join(t.TempDir(), "deep", "cache.git")
	tool := h.workerAt(cache, gitpages.Options{})
	c := &base{t: t, path: cache}
	require.Equal(t, "true", c.git("rev-parse", "--is-bare-repository"))
	h.tool = tool
	h.write("page.md", "text\n")

	c.git("gc", "--quiet", "--prune=now")
	h.write("other.md", "text\n")
	require.Equal(t, 3, h.commits())

	require.NoError(t, os.RemoveAll(cache))
	_, err := h.prepare("page.md", "new\n")
	requireFault(t, err, faults.Transient, "git_missing")
	h.tool = h.workerAt(cache, gitpages.Options{})
	h.write("third.md", "text\n")
	require.Equal(t, 4, h.commits())
	entries, err := os.ReadDir(filepath.Dir(cache))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside it")
}

func TestWorkersThatShareACache(t *testing.T) {
	const workers, pages = 3, 2 // pages of each
	h := newHub(t)
	cache := filepath.Join(t.TempDir(), "cache.git")
	tools := make([]*gitpages.Tool, workers)
	for i := range tools {
		tools[i] = h.workerAt(cache, gitpages.Options{})
	}
	var group sync.WaitGroup
	errs := make([]error, workers)
	for i := range tools {
		b := &base{t: t, path: h.path, tool: tools[i]}
		group.Go(func() {
			for n := range pages {
				prepared, err := b.prepare(fmt.Sprintf("%d/%d.md", i, n), "text\n")
				if err == nil {
					_, err = b.tool.Apply(eventually(t), approved(prepared, "v1"))
				}
				if err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	group.Wait()
	requireAllDone(t, errs)
	require.Equal(t, 1+pages*workers, h.commits())
	require.Len(t, strings.Split(h.git("ls-tree", "-r", "--name-only", "main"), "\n"), 1+pages*workers)
}

func TestNewSaysWhatIsWrongWithARemote(t *testing.T) {
	h := newHub(t)
	work, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	(&base{t: t, path: work}).git("init", "--quiet")
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "notes.md"), nil, 0o600))
	for name, tt := range map[string]struct{ path, remote, code, says string }{
		"a work tree as cache":  {work, h.url, "repository", "name a folder of its own"},
		"files in the cache":    {full, h.url, "repository", "neither empty nor a bare repository"},
		"itself":                {h.path, h.path, "repository", "is its path"},
		"a program":             {cache, "ext::sh -c true", "repository", "names a program"},
		"an option":             {cache, "--upload-pack=true", "repository", `begins with "-"`},
		"a password":            {cache, "https://mei:SECRET@example.com/kb.git", "repository", "has a password in it"},
		"a query":               {cache, "https://example.com/kb.git?token=SECRET", "repository", "query"},
		"in the clear":          {cache, "http://git.example.com/kb.git", "repository", "not encrypted"},
		"another object format": {sha256Cache(t), h.url, "repository", "object-format"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: tt.path, Remote: tt.remote}}, gitpages.Options{})
			require.Contains(t, requireFault(t, err, faults.Permanent, tt.code).Reason, tt.says)
			require.NotContains(t, err.Error(), "SECRET")
			require.NoDirExists(t, cache)
		})
	}
}

func sha256Cache(t *testing.T) string {
	t.Helper()
	path := t.TempDir()
	(&base{t: t, path: path}).git("init", "--quiet", "--bare", "--object-format=sha256")
	return path
}

func TestRemoteWithSHA256(t *testing.T) {
	needGit(t)
	remote := filepath.Join(t.TempDir(), "kb.git")
	(&base{t: t, path: t.TempDir()}).git("init", "--quiet", "--bare", "--object-format=sha256", "--initial-branch=main", remote)
	h := &hub{base: &base{t: t, path: remote}, url: remote}
	h.tool = h.workerAt(sha256Cache(t), gitpages.Options{})
	h.write("page.md", "one\n")
	receipt := h.write("other.md", "text\n")
	require.Len(t, receipt.Ref, 64)
	require.Equal(t, 2, h.commits())
}

// The patience is for steps that are surely not made. A doubt ends the call.
func TestDoubtIsNotOutwaited(t *testing.T) {
	h := newHub(t)
	call := h.plan("page.md", "text\n")
	tool := h.worker(gitpages.Options{Patience: time.Nanosecond, Git: onCommand(t, "push", "kill -9 $$")})
	_, err := tool.Apply(eventually(t), call)
	requireFault(t, err, faults.Unknown, "push_unknown")
}
