package httpapi_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/mediawiki"
)

// createPage and editPage are the examples.
var (
	createPage = example{file: "mediawiki.yaml", tool: "create_page", site: "wiki.example.com/w"}
	editPage   = example{file: "mediawiki.yaml", tool: "edit_page", site: "wiki.example.com/w"}
)

// soon is a time that the matrix can wait for, and that a busy machine keeps:
// there an edit takes seconds.
var soon = map[string]string{"call_timeout": "4500ms"}

// TestMediaWiki is one wiki for all that is tried on it.
func TestMediaWiki(t *testing.T) {
	wiki := wikiTest{mediawiki.Start(t, mediawiki.Options{})}

	t.Run("CreateMatrix", func(t *testing.T) { kindtest.Matrix(t, wiki.createSubject) })
	t.Run("EditMatrix", func(t *testing.T) { kindtest.Matrix(t, wiki.editSubject) })
	t.Run("APageIsCreated", wiki.aPageIsCreated)
	t.Run("APageIsEdited", wiki.aPageIsEdited)
	t.Run("AnEditThatChangesNothing", wiki.anEditThatChangesNothing)
	t.Run("ThePageIsThereAlready", wiki.thePageIsThereAlready)
	t.Run("ThePageHasChanged", wiki.thePageHasChanged)
	t.Run("OursLiesUnderLaterEdits", wiki.oursLiesUnderLaterEdits)
	t.Run("TwoWorkersCreateOnePage", wiki.twoWorkersCreateOnePage)
	t.Run("TwoActionsEditOnePage", wiki.twoActionsEditOnePage)
	t.Run("ThereIsNoPageToEdit", wiki.thereIsNoPageToEdit)
	t.Run("TitlesOfMoreThanOneName", wiki.titlesOfMoreThanOneName)
}

type wikiTest struct{ *mediawiki.Server }

// sentToken is the end of each edit's form.
const sentToken = "token=%2B%5C"

func (w wikiTest) createSubject(t *testing.T) kindtest.Subject {
	link := kindtest.NewLink(t, w.Address())
	tool := createPage.with(soon).open(t, link.Addr())
	return kindtest.Subject{
		Tool: tool, Link: link, Sent: sentToken,
		Action: func(key string, payload int) plan.Action {
			title := "Page " + key
			a := matrixAction(tool, "wiki/"+title, "", "", page(title, fmt.Sprintf("Text %d.", payload)))
			a.IdempotencyKey = key
			return a
		},
		Effects: w.effects,
	}
}

func (w wikiTest) editSubject(t *testing.T) kindtest.Subject {
	link := kindtest.NewLink(t, w.Address())
	tool := editPage.with(soon).open(t, link.Addr())
	title := titleOf(t)
	base := w.edited(t, title, "Base.")
	return kindtest.Subject{
		Tool: tool, Link: link, Sent: sentToken,
		Action: func(key string, payload int) plan.Action {
			a := matrixAction(tool, "wiki/"+title, "", strconv.FormatInt(base, 10), page(title, fmt.Sprintf("Text %d.", payload)))
			a.IdempotencyKey = key
			return a
		},
		Effects: w.effects,
	}
}

func (w wikiTest) aPageIsCreated(t *testing.T) {
	tool, title := createPage.open(t, w.Address()), titleOf(t)
	action := proposed(t, tool, "wiki", page(title, "== Plan ==\nShip it."))
	require.Equal(t, "wiki/"+title, action.Target)
	require.Contains(t, action.Preview, "createonly=1")

	out, err := newWorker(t, tool).run(t.Context(), action)
	require.NoError(t, err)
	w.requirePage(t, title, "== Plan ==\nShip it.", out.Receipt.Ref)
	require.Equal(t, 1, count(t, tool, action))
	made, err := w.Revisions(t.Context(), action.IdempotencyKey)
	require.NoError(t, err)
	require.Len(t, made, 1)
	require.Equal(t, "weekly (holdpoint "+action.IdempotencyKey+")", made[0].Summary)
	require.Zero(t, made[0].Parent)
}

func (w wikiTest) aPageIsEdited(t *testing.T) {
	tool, title := editPage.open(t, w.Address()), titleOf(t)
	base := w.edited(t, title, "Before.")
	action := proposed(t, tool, "wiki", page(title, "After."))
	require.Equal(t, strconv.FormatInt(base, 10), action.Precondition)
	require.Contains(t, action.Preview, "Before.", "the approver sees what is replaced")

	out, err := newWorker(t, tool).run(t.Context(), action)
	require.NoError(t, err)
	w.requirePage(t, title, "After.", out.Receipt.Ref)
	require.Equal(t, 1, count(t, tool, action))
	made, err := w.Revisions(t.Context(), action.IdempotencyKey)
	require.NoError(t, err)
	require.Len(t, made, 1)
	require.Equal(t, base, made[0].Parent)
}

// MediaWiki makes no revision of a text that is there already.
func (w wikiTest) anEditThatChangesNothing(t *testing.T) {
	tool, title := editPage.open(t, w.Address()), titleOf(t)
	base := w.edited(t, title, "As it is.")
	action := proposed(t, tool, "wiki", page(title, "As it is."))
	out, err := newWorker(t, tool).run(t.Context(), action)
	require.NoError(t, err)
	require.Equal(t, strconv.FormatInt(base, 10), out.Receipt.Ref)
	require.Zero(t, w.effects(t, action.IdempotencyKey))
}

func (w wikiTest) thePageIsThereAlready(t *testing.T) {
	tool, title := createPage.open(t, w.Address()), titleOf(t)
	action := proposed(t, tool, "wiki", page(title, "Ours."))
	w.edited(t, title, "Theirs.")
	w.requireDrift(t, tool, action, "Theirs.")
}

func (w wikiTest) thePageHasChanged(t *testing.T) {
	tool, title := editPage.open(t, w.Address()), titleOf(t)
	w.edited(t, title, "One.\n\nTwo.\n\nThree.\n")
	action := proposed(t, tool, "wiki", page(title, "Our one.\n\nTwo.\n\nThree.\n"))
	// Another paragraph: a wiki that merges would.
	w.edited(t, title, "One.\n\nTwo.\n\nTheir three.")
	w.requireDrift(t, tool, action, "One.\n\nTwo.\n\nTheir three.")
}

func (w wikiTest) requireDrift(t *testing.T, tool tools.Tool, action plan.Action, text string) {
	t.Helper()
	out, err := newWorker(t, tool).run(t.Context(), action)
	require.NoError(t, err)
	require.True(t, out.Drifted)
	require.Zero(t, w.effects(t, action.IdempotencyKey))
	require.Zero(t, count(t, tool, action))
	now, _, err := w.Text(t.Context(), titleOf(t))
	require.NoError(t, err)
	require.Equal(t, text, now)
}

// An answer is lost, and before the next attempt others have edited the page.
// The history still tells that the action is done.
func (w wikiTest) oursLiesUnderLaterEdits(t *testing.T) {
	for _, e := range []example{createPage, editPage} {
		t.Run(e.tool, func(t *testing.T) {
			title := titleOf(t)
			link := kindtest.NewLink(t, w.Address())
			if e.tool == "edit_page" {
				w.edited(t, title, "Base.")
			}
			tool := e.open(t, link.Addr())
			action := proposed(t, tool, "wiki", page(title, "Ours."))
			at := newWorker(t, tool)
			link.CutAnswers(sentToken)
			_, err := at.run(t.Context(), action)
			require.Equal(t, faults.Unknown, faults.ClassOf(err), "%v", err)
			link.Heal()
			require.Eventually(t, func() bool { return w.effects(t, action.IdempotencyKey) == 1 }, patience, pause)
			ours, err := w.Revisions(t.Context(), action.IdempotencyKey)
			require.NoError(t, err)
			w.edited(t, title, "Theirs.")
			last := w.edited(t, title, "Theirs again.")

			out, err := at.run(t.Context(), action)
			require.NoError(t, err)
			require.True(t, out.Recovered)
			require.Equal(t, strconv.FormatInt(ours[0].ID, 10), out.Receipt.Ref)
			require.Equal(t, 1, w.effects(t, action.IdempotencyKey))
			w.requirePage(t, title, "Theirs again.", strconv.FormatInt(last, 10))
		})
	}
}

// The two know nothing of each other: the wiki alone keeps a second effect
// away, and tells the second that it is done.
func (w wikiTest) twoWorkersCreateOnePage(t *testing.T) {
	tool, title := createPage.open(t, w.Address()), titleOf(t)
	action := proposed(t, tool, "wiki", page(title, "Ours."))
	outs := atOnce(t, tool, action, action)
	require.False(t, outs[0].Drifted)
	require.False(t, outs[1].Drifted)
	require.Equal(t, outs[0].Receipt.Ref, outs[1].Receipt.Ref)
	require.Equal(t, 1, w.effects(t, action.IdempotencyKey))
	w.requirePage(t, title, "Ours.", outs[0].Receipt.Ref)
}

// Two plans were made for the same revision: one takes effect, the other must
// be approved anew.
func (w wikiTest) twoActionsEditOnePage(t *testing.T) {
	tool, title := editPage.open(t, w.Address()), titleOf(t)
	w.edited(t, title, "Base.")
	one := proposed(t, tool, "wiki", page(title, "One."))
	two := proposed(t, tool, "wiki", page(title, "Two."))
	two.IdempotencyKey = "2" + two.IdempotencyKey[1:]
	one.IdempotencyKey = "1" + one.IdempotencyKey[1:]
	outs := atOnce(t, tool, one, two)
	require.NotEqual(t, outs[0].Drifted, outs[1].Drifted)
	text, done := "One.", outs[0]
	if outs[0].Drifted {
		text, done = "Two.", outs[1]
	}
	w.requirePage(t, title, text, done.Receipt.Ref)
	require.Equal(t, 1, w.effects(t, one.IdempotencyKey)+w.effects(t, two.IdempotencyKey))
}

func (w wikiTest) thereIsNoPageToEdit(t *testing.T) {
	_, err := editPage.open(t, w.Address()).Prepare(t.Context(), tools.Proposal{
		Tool: "edit_page", AllowedTarget: "wiki", Parameters: []byte(`{"title":"Nowhere","text":"x","summary":"s"}`),
	})
	requireFault(t, err, faults.Permanent, "nothing_to_change")
}

// One page must not have two targets, and so two keys; and one title must not
// be two pages.
func (w wikiTest) titlesOfMoreThanOneName(t *testing.T) {
	tool := createPage.open(t, w.Address())
	for _, title := range []string{"roadmap", "élan", "Road_map", " Roadmap", "Roadmap ", "Road  map", "Talk:Roadmap", "A|B", "A#B", "A&amp;B", "{{A}}", "/A", ""} {
		_, err := tool.Prepare(t.Context(), tools.Proposal{
			Tool: "create_page", AllowedTarget: "wiki", Parameters: fmt.Appendf(nil, `{"title":%q,"text":"x","summary":"s"}`, title),
		})
		requireFault(t, err, faults.Permanent, "bad_parameters")
	}
}

// atOnce runs two actions at the same time, by workers that share nothing, and
// as often as the target asks to wait or leaves the outcome open.
func atOnce(t *testing.T, tool tools.Tool, actions ...plan.Action) []effects.Outcome {
	t.Helper()
	outs, errs := make([]effects.Outcome, len(actions)), make([]error, len(actions))
	var all sync.WaitGroup
	for i, action := range actions {
		at := newWorker(t, tool)
		all.Go(func() {
			for range 5 {
				if outs[i], errs[i] = at.run(t.Context(), action); errs[i] == nil {
					return
				}
				t.Logf("worker %d: %v", i, errs[i])
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	return outs
}

// page is the parameters of a page.
func page(title, text string) map[string]string {
	return map[string]string{"title": title, "text": text, "summary": "weekly"}
}

// edited is an edit by somebody else.
func (w wikiTest) edited(t *testing.T, title, text string) (revision int64) {
	t.Helper()
	revision, err := w.Edit(t.Context(), title, text, "by hand")
	require.NoError(t, err)
	return revision
}

// effects counts an effect in the wiki's history.
func (w wikiTest) effects(tb testing.TB, key string) int {
	tb.Helper()
	found, err := w.Revisions(tb.Context(), key)
	require.NoError(tb, err)
	return len(found)
}

func (w wikiTest) requirePage(t *testing.T, title, text, revision string) {
	t.Helper()
	now, at, err := w.Text(t.Context(), title)
	require.NoError(t, err)
	require.Equal(t, text, now)
	require.Equal(t, revision, strconv.FormatInt(at, 10))
}

// titleOf is a page of each test's own, in MediaWiki's own form.
func titleOf(t *testing.T) string {
	t.Helper()
	return strings.NewReplacer("/", "-", "_", " ").Replace(t.Name())
}
