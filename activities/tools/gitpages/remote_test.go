package gitpages_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

func TestRemotePageIsOneCommitThatWasPushed(t *testing.T) {
	for name, served := range map[string]bool{"file": false, "git daemon": true} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t)
			if served {
				h, _ = servedHub(t)
			}
			prepared, err := h.prepare("weekly/W48.md", "text\n")
			require.NoError(t, err)
			require.Equal(t, "absent", prepared.Precondition)
			require.Equal(t, 1, h.commits(), "Prepare writes nothing")

			call := approved(prepared, "v1")
			receipt, err := h.apply(call)
			require.NoError(t, err)
			h.requireEffect(call, receipt, 2)
			require.Equal(t, h.head(), receipt.Ref)
			require.Equal(t, "text", h.page("weekly/W48.md"))
			require.Equal(t, "seed", h.page("seed.md"))
			require.Equal(t, h.git("log", "-1", "--format=%ct", "main"), strconv.FormatInt(receipt.At.Unix(), 10))

			again, err := h.worker(gitpages.Options{}).Apply(t.Context(), call)
			require.NoError(t, err)
			require.Equal(t, receipt, again)
			require.Equal(t, 2, h.commits())
			require.Equal(t, time.Minute, h.tool.Spec().Settle, "its hooks may take that long")
		})
	}
}

func TestRemoteIsWhatCountsAndNotTheCache(t *testing.T) {
	h := newHub(t)
	h.write("ours.md", "ours\n")
	h.pushes("page.md", "old\n")
	prepared, err := h.prepare("page.md", "new\n")
	require.NoError(t, err)
	require.Equal(t, "blob:"+h.git("rev-parse", "main:page.md"), prepared.Precondition)
	require.Equal(t, "--- a/page.md\n+++ b/page.md\n@@ -1,1 +1,1 @@\n-old\n+new\n", prepared.Preview)

	h.pushes("other.md", "a colleague's\n")
	call := approved(prepared, "v1")
	receipt, err := h.apply(call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 5)
	require.Equal(t, "a colleague's", h.page("other.md"))

	// What was made at the remote is gone there, and in the cache it is not.
	h.git("update-ref", "refs/heads/main", receipt.Ref+"~1")
	h.git("update-ref", "-d", "refs/holdpoint/"+keyOf(call))
	require.Zero(t, h.count("page.md", keyOf(call)))
	receipt, err = h.apply(call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 5)
}

func TestEmptyRemoteGetsItsFirstCommit(t *testing.T) {
	h := emptyHub(t)
	call := h.plan("page.md", "text\n")
	receipt, err := h.apply(call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 1)
}

func TestRemotePageThatChangedSinceThePlanIsDrift(t *testing.T) {
	h := newHub(t)
	h.pushes("page.md", "old\n")
	call := h.plan("page.md", "new\n")
	h.pushes("page.md", "a colleague's\n")
	head, pushes := h.head(), h.counted()

	_, err := h.apply(call)
	require.ErrorIs(t, err, tools.ErrDrift)
	requireFault(t, err, faults.Permanent, "page_changed")
	require.Equal(t, head, h.head())
	require.Zero(t, pushes(), "nothing was sent")
	h.requireNoMarker(keyOf(call))
}

func TestRemoteKeyThatWroteOtherContentIsAConflict(t *testing.T) {
	h := newHub(t)
	h.write("page.md", "one\n")
	second := h.plan("page.md", "two\n")
	pushes := h.counted()
	_, err := h.worker(gitpages.Options{}).Apply(t.Context(), second)
	requireFault(t, err, faults.Permanent, "key_conflict")
	require.Zero(t, pushes())
}

// A refused push is one that somebody was quicker than: right before it a
// colleague pushes.
func TestRefusedPushIsMadeAgainOnTheNewHead(t *testing.T) {
	h := newHub(t)
	call := h.plan("page.md", "text\n")
	asked := 0
	call.MayBegin = func(context.Context) error { asked++; return nil }
	tool := h.worker(gitpages.Options{Git: onCommand(t, "push", h.readyToPush("other.md", "a colleague's\n")+"\nexec "+realGit(t)+` "$@"`)})
	receipt, err := tool.Apply(eventually(t), call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 3)
	require.Equal(t, "a colleague's", h.page("other.md"))
	require.Equal(t, 2, asked, "right before each of the two pushes")
}

func TestRefusedPushOnAPageThatChangedIsDrift(t *testing.T) {
	h := newHub(t)
	h.pushes("page.md", "old\n")
	call := h.plan("page.md", "new\n")
	tool := h.worker(gitpages.Options{Git: onCommand(t, "push", h.readyToPush("page.md", "a colleague's\n")+"\nexec "+realGit(t)+` "$@"`)})
	_, err := tool.Apply(eventually(t), call)
	require.ErrorIs(t, err, tools.ErrDrift)
	require.Equal(t, "a colleague's", h.page("page.md"))
	require.Equal(t, 3, h.commits())
	h.requireNoMarker(keyOf(call))
}

// The colleague pushes while the remote has our push in its hands: git's own
// comparison there refuses it, and not the one that the client makes.
func TestPushThatTheRemoteItselfRefusesIsMadeAgain(t *testing.T) {
	h := newHub(t)
	call := h.plan("page.md", "text\n")
	h.hook("pre-receive", h.readyToPush("other.md", "a colleague's\n")) // her own push runs it as well, and does nothing there
	receipt, err := h.tool.Apply(eventually(t), call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 3)
	require.Equal(t, "a colleague's", h.page("other.md"))
}

func TestRemoteLockThatStaysIsTransient(t *testing.T) {
	h := newHub(t)
	call := h.plan("page.md", "text\n")
	lock := filepath.Join(h.path, "refs", "heads", "main.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	tool := h.worker(gitpages.Options{Patience: 50 * time.Millisecond})
	_, err := tool.Apply(eventually(t), call)
	requireFault(t, err, faults.Transient, "refs_locked")
	require.Equal(t, 1, h.commits())

	require.NoError(t, os.Remove(lock))
	receipt, err := tool.Apply(t.Context(), call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 2)
}

// The remote takes the branch and refuses the marker, although it was asked
// for both or none: Git does so for hidden refs. The trailer tells.
func TestRemoteThatTakesNoMarkerStillHasOneCommit(t *testing.T) {
	h := newHub(t)
	h.git("config", "receive.hideRefs", "refs/holdpoint")
	call := h.plan("page.md", "text\n")
	receipt, err := h.apply(call)
	require.NoError(t, err)
	again, err := h.worker(gitpages.Options{}).Apply(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, receipt, again)
	require.Equal(t, 2, h.commits())
	require.Equal(t, 1, h.count("page.md", keyOf(call)))
}

// What half a transaction leaves at the remote, as locally.
func TestRemoteHalvesAreMended(t *testing.T) {
	t.Run("branch without marker", func(t *testing.T) {
		h := newHub(t)
		call := h.plan("page.md", "text\n")
		first, err := h.apply(call)
		require.NoError(t, err)
		h.git("update-ref", "-d", "refs/holdpoint/"+keyOf(call))
		h.pushes("page.md", "edited since\n")

		again, err := h.worker(gitpages.Options{}).Apply(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, first, again)
		h.requireEffect(call, again, 3)
		require.Equal(t, "edited since", h.page("page.md"))
	})
	t.Run("marker without branch", func(t *testing.T) {
		h := newHub(t)
		before := h.head()
		call := h.plan("page.md", "text\n")
		first, err := h.apply(call)
		require.NoError(t, err)
		h.git("update-ref", "refs/heads/main", before)

		again, err := h.worker(gitpages.Options{}).Apply(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, first, again)
		h.requireEffect(call, again, 2)
	})
	t.Run("marker without branch, which moved on", func(t *testing.T) {
		h := newHub(t)
		before := h.head()
		call := h.plan("page.md", "text\n")
		first, err := h.apply(call)
		require.NoError(t, err)
		h.git("update-ref", "refs/heads/main", before)
		h.pushes("other.md", "a colleague's\n")

		second, err := h.worker(gitpages.Options{}).Apply(t.Context(), call)
		require.NoError(t, err)
		require.NotEqual(t, first.Ref, second.Ref)
		h.requireEffect(call, second, 3)
	})
}

// A marker that came late, of a plan by which the page was as wanted, says
// nothing to the plan that was made for what the page became.
func TestMarkerOfAnEarlierPlanDoesNotStandForALaterOne(t *testing.T) {
	h := newHub(t)
	h.pushes("page.md", "as wanted\n")
	early := h.head()
	h.pushes("page.md", "a colleague's\n")
	call := h.plan("page.md", "as wanted\n")
	h.git("update-ref", "refs/holdpoint/"+keyOf(call), early)

	receipt, err := h.apply(call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 4)
	require.Equal(t, "as wanted", h.page("page.md"))
}

func TestHistoryThatSomebodyRewroteAndCollected(t *testing.T) {
	h := newHub(t)
	h.write("one.md", "one\n")
	call := h.plan("two.md", "two\n")
	_, err := h.apply(call)
	require.NoError(t, err)
	require.Equal(t, 1, h.count("two.md", keyOf(call)))

	h.git("update-ref", "refs/heads/main", "main~2")
	h.git("update-ref", "-d", "refs/holdpoint/"+keyOf(call))
	h.pushes("other.md", "a colleague's\n")
	require.Zero(t, h.count("two.md", keyOf(call)), "it is not on the branch any more")
	receipt, err := h.apply(call)
	require.NoError(t, err)
	h.requireEffect(call, receipt, 3)
}

func TestRemoteWithOtherBranchesOnly(t *testing.T) {
	h := newHub(t)
	h.git("branch", "-m", "main", "pages")
	_, err := h.prepare("page.md", "text\n")
	require.Contains(t, requireFault(t, err, faults.Permanent, "repository").Reason, `no branch "main", but has "pages"`)
	_, err = gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: filepath.Join(t.TempDir(), "new"), Remote: h.url}}, gitpages.Options{})
	requireFault(t, err, faults.Permanent, "repository")
}

func TestParallelPagesOfWorkersWithTheirOwnClones(t *testing.T) {
	const pages, workers = 8, 3
	h := newHub(t)
	var calls []tools.Call
	for i := range pages {
		calls = append(calls, h.plan(fmt.Sprintf("topics/%d.md", i), fmt.Sprintf("page %d\n", i)))
	}
	receipts := h.race(pages, workers, func(i int) tools.Call { return calls[i] })
	for i, call := range calls {
		h.requireEffect(call, receipts[i], pages+1)
		require.Equal(t, fmt.Sprintf("page %d", i), h.page(fmt.Sprintf("topics/%d.md", i)))
	}
}

func TestOneKeyRacedByWorkersWithTheirOwnClonesIsOneCommit(t *testing.T) {
	h := newHub(t)
	call := h.plan("page.md", "text\n")
	for _, receipt := range h.race(8, 8, func(int) tools.Call { return call }) {
		h.requireEffect(call, receipt, 2)
	}
}
