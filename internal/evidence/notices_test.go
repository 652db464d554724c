package evidence

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// Of what everybody must have been told, no notice can be left out; of what
// depends on who was there in time, the document's word is all there is.
func TestNoticesThatMustBeThere(t *testing.T) {
	dropped := map[workflows.Event]bool{}
	for _, name := range []string{"two-resolved", "told-and-expired"} {
		b, err := Parse(recorded(t)[name])
		require.NoError(t, err)
		require.Empty(t, Verify(b, Options{Signers: allowedSigners(t)}).Problems)
		for i, n := range b.Content.Notices {
			without := b
			without.Content.Notices = slices.Delete(slices.Clone(b.Content.Notices), i, i+1)
			v := newVerifier(without, Options{Signers: allowedSigners(t)})
			v.checkContent()
			if must := n.Event != workflows.ApprovalReminded && n.Event != workflows.ResolutionNeeded; must {
				require.Contains(t, strings.Join(v.Problems, "\n"), "nobody was told of "+string(n.Event)+" through pager")
				dropped[n.Event] = true
			}
			twice := b
			twice.Content.Notices = slices.Insert(slices.Clone(b.Content.Notices), i, n)
			v = newVerifier(twice, Options{Signers: allowedSigners(t)})
			v.checkContent()
			require.Contains(t, strings.Join(v.Problems, "\n"), "more often than the run has executions")
		}
	}
	require.Len(t, dropped, 3)
}

// A document of a version before requests named their channels verifies as it
// did: its notices are held to what their keys are of.
func TestNoticesOfAnEarlierVersion(t *testing.T) {
	b, err := Parse(recorded(t)["two-resolved"])
	require.NoError(t, err)
	b.Content.Requests = slices.Clone(b.Content.Requests)
	for i := range b.Content.Requests {
		b.Content.Requests[i].Notify = nil
	}
	problems := func() []string {
		v := newVerifier(b, Options{Signers: allowedSigners(t)})
		v.checkContent()
		return v.Problems
	}
	require.Empty(t, problems())
	b.Content.Notices = slices.Clone(b.Content.Notices)
	b.Content.Notices[0].Channel = "another"
	require.Contains(t, strings.Join(problems(), "\n"), "its key is of nothing that the run came to")
}

// A task may leave out what has a default: the workflow's keys are those of the
// task as it means it.
func TestNoticesOfATaskWithoutItsDefaults(t *testing.T) {
	b, err := Parse(recorded(t)["told-and-expired"])
	require.NoError(t, err)
	asked := &b.Content.Task.Asked
	require.Equal(t, *asked, asked.WithDefaults())
	asked.SemanticVersion, asked.OnFailure = "", ""
	b.Content.Task.SHA256, err = asked.Digest()
	require.NoError(t, err)
	v := newVerifier(b, Options{Signers: allowedSigners(t)})
	v.checkContent()
	require.Empty(t, v.Problems)
}

// Of more notices than are on their way at once, those that had no place before the
// end are not asked for.
func TestNoticesThatHadNoPlace(t *testing.T) {
	b, err := Parse(recorded(t)["told-and-expired"])
	require.NoError(t, err)
	for n, fits := range map[int]bool{workflows.NoticesAtOnce - 1: false, workflows.NoticesAtOnce: true} {
		v := newVerifier(b, Options{Signers: allowedSigners(t)})
		v.checkContent()
		require.Empty(t, v.Problems)
		v.content.Notices = make([]Notice, n)
		v.checkTold(0, map[string]int{})
		require.Equal(t, fits, v.Fits())
	}
}
