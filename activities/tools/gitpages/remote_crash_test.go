package gitpages_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// lateHooks are the two in which a remote can be at work when its client gives
// up: before the refs move, and after.
func lateHooks() []string { return []string{"pre-receive", "post-receive"} }

// applyUntilLate lets the remote's hook hold the push up, and ends the call at
// that moment, as its time limit would.
func (h *hub) applyUntilLate(g *gate, call tools.Call) error {
	h.t.Helper()
	ctx, cancel := context.WithCancel(eventually(h.t))
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := h.tool.Apply(ctx, call)
		ended <- err
	}()
	g.waitFor(1)
	cancel()
	return <-ended
}

// arrived waits until the remote has set the marker.
func (h *hub) arrived(key string) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		_, err := h.tryGit("", "rev-parse", "--verify", "--quiet", "refs/holdpoint/"+key)
		return err == nil
	}, patience, tick)
}

func TestC030_PushThatLandsAfterItsClientTimedOut(t *testing.T) {
	for _, tt := range []struct {
		hook   string
		served bool
	}{{"pre-receive", true}, {"post-receive", true}, {"pre-receive", false}} {
		t.Run(fmt.Sprintf("%s, over TCP: %t", tt.hook, tt.served), func(t *testing.T) {
			h := newHub(t)
			if tt.served {
				h, _ = servedHub(t)
			}
			call, g := h.plan("page.md", "text\n"), newGate(t)
			h.hook(tt.hook, g.lines())
			requireFault(t, h.applyUntilLate(g, call), faults.Unknown, "push_unknown")
			g.let()
			h.arrived(keyOf(call))
			made := h.head()

			receipt, err := h.worker(gitpages.Options{}).Apply(eventually(t), call)
			require.NoError(t, err)
			require.Equal(t, made, receipt.Ref)
			h.requireEffect(call, receipt, 2)
		})
	}
}

func TestC030_ColleaguePushedAfterItLanded(t *testing.T) {
	for _, hook := range lateHooks() {
		t.Run(hook, func(t *testing.T) {
			h, _ := servedHub(t)
			call, g := h.plan("page.md", "text\n"), newGate(t)
			h.hook(hook, g.lines())
			requireFault(t, h.applyUntilLate(g, call), faults.Unknown, "push_unknown")
			g.let()
			h.arrived(keyOf(call))
			made := h.head()
			h.pushes("other.md", "a colleague's\n")
			h.pushes("page.md", "edited since\n")

			receipt, err := h.worker(gitpages.Options{}).Apply(eventually(t), call)
			require.NoError(t, err)
			require.Equal(t, made, receipt.Ref)
			h.requireEffect(call, receipt, 4)
			require.Equal(t, "a colleague's", h.page("other.md"))
			require.Equal(t, "edited since", h.page("page.md"))
		})
	}
}

// The colleague is quicker than the hook: the push that nobody waits for is
// refused in the end, and the retry makes it on top of hers.
func TestC030_ColleaguePushedBeforeItLanded(t *testing.T) {
	h, _ := servedHub(t)
	call, g := h.plan("page.md", "text\n"), newGate(t)
	once := filepath.Join(t.TempDir(), "once")
	h.hook("pre-receive", "if mkdir '"+once+"' 2>/dev/null; then "+g.lines()+"; fi")
	requireFault(t, h.applyUntilLate(g, call), faults.Unknown, "push_unknown")
	h.pushes("other.md", "a colleague's\n")

	receipt, err := h.worker(gitpages.Options{}).Apply(eventually(t), call)
	require.NoError(t, err)
	g.let()
	h.settled()
	h.requireEffect(call, receipt, 3)
	require.Equal(t, receipt.Ref, h.head())
	require.Equal(t, "a colleague's", h.page("other.md"))
}

func TestC030_FileAlreadyHasTheWantedContent(t *testing.T) {
	for _, hook := range lateHooks() {
		t.Run(hook, func(t *testing.T) {
			h, _ := servedHub(t)
			h.pushes("page.md", "as wanted\n")
			call, head, g := h.plan("page.md", "as wanted\n"), h.head(), newGate(t)
			h.hook(hook, g.lines())
			requireFault(t, h.applyUntilLate(g, call), faults.Unknown, "push_unknown")
			g.let()
			h.arrived(keyOf(call))
			h.pushes("page.md", "changed later\n")

			receipt, err := h.worker(gitpages.Options{}).Apply(eventually(t), call)
			require.NoError(t, err)
			require.Equal(t, head, receipt.Ref)
			require.Equal(t, head, h.marker(keyOf(call)))
			require.Contains(t, receipt.Detail, "already was as wanted")
			require.Equal(t, 3, h.commits(), "no commit of ours")
			require.Equal(t, "changed later", h.page("page.md"))
		})
	}
}

// The retry comes while the first push is still in the hook: both are at the
// remote at once, and one is taken.
func TestC030_RetryOvertakesThePushInTheHook(t *testing.T) {
	h, _ := servedHub(t)
	call, g := h.plan("page.md", "text\n"), newGate(t)
	h.hook("pre-receive", g.lines())
	requireFault(t, h.applyUntilLate(g, call), faults.Unknown, "push_unknown")
	receipts := make(chan plan.Receipt, 1)
	go func() {
		receipt, err := h.worker(gitpages.Options{}).Apply(eventually(t), call)
		if err == nil {
			receipts <- receipt
		}
		close(receipts)
	}()
	g.waitFor(2)
	g.let()
	receipt, ok := <-receipts
	require.True(t, ok)
	h.settled()
	h.requireEffect(call, receipt, 2)
}

// settled waits until the remote has no push in its hands any more: each keeps
// its objects in a folder of its own until then.
func (h *hub) settled() {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		incoming, err := filepath.Glob(filepath.Join(h.path, "objects", "*incoming-*"))
		return err == nil && len(incoming) == 0
	}, patience, tick)
}

func TestPushThatTakesTooLongIsUnknown(t *testing.T) {
	h, _ := servedHub(t)
	call, g := h.plan("page.md", "text\n"), newGate(t)
	h.hook("pre-receive", g.lines())
	tool := h.worker(gitpages.Options{PushTimeout: 200 * time.Millisecond})
	_, err := tool.Apply(eventually(t), call)
	fault := requireFault(t, err, faults.Unknown, "push_unknown")
	require.Contains(t, fault.Reason, "did not end in time")
	g.let()
	h.settled()
	receipt, err := h.tool.Apply(eventually(t), call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 2)
}

// The answer is lost in the middle: what the remote shows afterwards decides,
// and nothing is sent a second time.
func TestAnswerOfAPushThatIsCut(t *testing.T) {
	for name, tt := range map[string]struct{ hook, line string }{
		"before the refs moved": {"pre-receive", "kill -9 $PPID"},
		"after the refs moved":  {"post-receive", "kill -9 $PPID"},
		"before, and a hook blames the network": {
			"pre-receive", "echo 'fatal: unable to access it: Could not resolve host' >&2; sleep 0.2; kill -9 $PPID",
		},
		"before, and the remote has died": {"pre-receive", "kill -9 $PPID; rm -rf '<remote>'"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t)
			call, pushes := h.plan("page.md", "text\n"), h.counted()
			line := strings.ReplaceAll(tt.line, "<remote>", h.path)
			h.hook(tt.hook, line)
			receipt, err := h.tool.Apply(eventually(t), call)
			if tt.hook == "post-receive" {
				require.NoError(t, err)
				require.Equal(t, 1, pushes())
				h.requireEffect(call, receipt, 2)
				return
			}
			requireFault(t, err, faults.Unknown, "push_unknown")
			if strings.Contains(line, "rm -rf") {
				return
			}
			h.requireNoMarker(keyOf(call))
			h.noHooks()
			receipt, err = h.tool.Apply(eventually(t), call)
			require.NoError(t, err)
			h.requireEffect(call, receipt, 2)
		})
	}
}

func TestPushWithoutAnAnswerIsNotRepeated(t *testing.T) {
	h := newHub(t)
	call := h.plan("page.md", "text\n")
	log := filepath.Join(t.TempDir(), "log")
	h.tool = h.worker(gitpages.Options{Git: onCommand(t, "push", "echo push >>'"+log+"'; kill -9 $$")})
	asked := 0
	call.MayBegin = func(context.Context) error { asked++; return nil }
	_, err := h.apply(call)
	requireFault(t, err, faults.Unknown, "push_unknown")
	require.Equal(t, 1, asked)
	require.Equal(t, 1, h.commits())
}

// C017 for git with a remote: kill -9 in each window around the push.
func TestC017_GitWorkerKilledAroundThePush(t *testing.T) {
	tests := []struct {
		name string
		env  func(h *hub, g *gate) []string
		made int // commits of the killed worker, once everything has come to rest
	}{
		{"before the push", func(h *hub, _ *gate) []string {
			return []string{workerGit + "=" + killsWorker(h.t, "before", "push")}
		}, 0},
		{"during the push, which goes on", func(h *hub, g *gate) []string {
			h.hook("pre-receive", g.lines())
			return []string{workerGit + "=" + killedDuringPush(h.t, g, "")}
		}, 1},
		{"during the push, with its client", func(h *hub, g *gate) []string {
			h.hook("pre-receive", g.lines())
			return []string{workerGit + "=" + killedDuringPush(h.t, g, "kill -9 $push; ")}
		}, 1},
		{"during the push, with its client and the remote's process", func(h *hub, g *gate) []string {
			h.hook("pre-receive", g.lines()+"; rm -rf \"$GIT_QUARANTINE_PATH\"; kill -9 $PPID")
			return []string{workerGit + "=" + killedDuringPush(h.t, g, "kill -9 $push; ")}
		}, 0},
		{"right after the push", func(h *hub, _ *gate) []string {
			return []string{workerGit + "=" + killsWorker(h.t, "after", "push")}
		}, 1},
		{"after Apply returned", func(*hub, *gate) []string { return []string{workerDies + "=1"} }, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHub(t)
			call, g := h.plan("weekly/2026-W48.md", "text\n"), newGate(t)
			cache := filepath.Join(t.TempDir(), "cache.git")
			requireKilled(t, worker(t, cache, call, append(tt.env(h, g), workerRemote+"="+h.url)...).Run())
			g.let()
			h.settled()
			if tt.made == 1 {
				h.arrived(keyOf(call))
			}
			require.Equal(t, 1+tt.made, h.commits())
			made := h.head()
			h.noHooks()

			// The next worker has the cache of the one that was killed.
			receipt := runWorker(t, cache, call, workerRemote+"="+h.url)
			if tt.made == 1 {
				require.Equal(t, made, receipt.Ref)
			}
			h.requireEffect(call, receipt, 2)
		})
	}
}

// killedDuringPush makes a git that kills the process that started it, once its
// push has reached the gate, and before that what lines say.
func killedDuringPush(t *testing.T, g *gate, lines string) string {
	t.Helper()
	return onCommand(t, "push", fmt.Sprintf(`%s "$@" & push=$!; while [ ! -e '%s' ]; do sleep 0.02; done; %skill -9 $PPID; exit 1`,
		realGit(t), g.reached, lines))
}

// C018 for pushes: a worker is stopped right before its push, another one takes
// its actions over, and then the first one goes on.
func TestC018_StoppedWorkerPushesNothingTwice(t *testing.T) {
	const pages, before = 10, 4
	h := newHub(t)
	var calls []tools.Call
	for i := range pages {
		calls = append(calls, h.plan(fmt.Sprintf("items/%d.md", i), fmt.Sprintf("item %d\n", i)))
	}
	g, count := newGate(t), filepath.Join(t.TempDir(), "count")
	stops := onCommand(t, "push", fmt.Sprintf(`echo x >>'%s'; if [ "$(wc -l <'%s')" -eq %d ]; then kill -STOP $PPID; %s; fi; exec %s "$@"`,
		count, count, before+1, g.lines(), realGit(t)))

	zombie := worker(t, filepath.Join(t.TempDir(), "cache.git"), calls[0], workerGit+"="+stops, workerRemote+"="+h.url)
	var input strings.Builder
	for _, call := range calls {
		require.NoError(t, json.NewEncoder(&input).Encode(call))
	}
	zombie.Stdin = strings.NewReader(input.String())
	out, err := zombie.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, zombie.Start())
	g.waitFor(1)
	require.Equal(t, 1+before, h.commits())

	receipts := make([]plan.Receipt, pages)
	for i, call := range calls {
		receipts[i], err = h.apply(call)
		require.NoError(t, err)
	}
	require.Equal(t, 1+pages, h.commits())

	g.let()
	require.NoError(t, zombie.Process.Signal(syscall.SIGCONT))
	lines := bufio.NewScanner(out)
	for i := range pages {
		require.True(t, lines.Scan(), "receipt %d", i)
		var late plan.Receipt
		require.NoError(t, json.Unmarshal(lines.Bytes(), &late))
		require.Equal(t, receipts[i], late)
	}
	require.NoError(t, zombie.Wait())
	for i, call := range calls {
		h.requireEffect(call, receipts[i], 1+pages)
	}
}

// An attempt that lost its lease is told so right before it would push.
func TestC018_AttemptThatLostItsLeasePushesNothing(t *testing.T) {
	lost := &faults.Fault{Class: faults.InProgress, Code: "superseded", Reason: "another attempt took over"}
	h := newHub(t)
	call, pushes := h.plan("page.md", "text\n"), h.counted()
	zombie := call
	var made plan.Receipt
	zombie.MayBegin = func(context.Context) error {
		var err error
		made, err = h.worker(gitpages.Options{}).Apply(eventually(t), call)
		require.NoError(t, err)
		return lost
	}
	_, err := h.apply(zombie)
	require.Equal(t, lost, requireFault(t, err, faults.InProgress, "superseded"))
	require.Equal(t, 1, pushes())
	h.requireEffect(call, made, 2)

	t.Run("nor a marker", func(t *testing.T) {
		h.git("update-ref", "-d", "refs/holdpoint/"+keyOf(call))
		zombie.MayBegin = func(context.Context) error { return lost }
		receipt, err := h.apply(zombie)
		require.NoError(t, err, "what was written is found")
		require.Equal(t, made, receipt)
		require.Equal(t, 1, pushes())
		h.requireNoMarker(keyOf(call))
	})
}
