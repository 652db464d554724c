package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func rendered(t *testing.T, p Plan) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Render(&b, p, Sum([]byte("Abc"))))
	return b.String()
}

func TestRenderShowsWhatWillBeWrittenWhere(t *testing.T) {
	p := samplePlan()
	p.Revision = 2
	p.Actions[1].Replaces = "version v1, commit 11aa22b"
	p.Actions[1].Item = "w48"
	p.Actions[1].ToolDigest = Sum([]byte("Abc"))
	withKeys(&p)
	page := rendered(t, p)
	head, actions, ok := strings.Cut(page, "\n\n")
	require.True(t, ok)
	require.Equal(t, "Plan sha256:"+abcHex, strings.SplitN(head, "\n", 2)[0])
	for _, l := range []string{
		"   run          acme/demo-001", "   goal         Weekly report of 2026-W48", "   revision     2",
		"   actions      2 to be carried out, 1 already done and not repeated", "   note         two files were skipped",
	} {
		require.Contains(t, strings.Split(head, "\n"), l)
	}

	blocks := strings.Split(strings.TrimSuffix(actions, "\n"), "\n\n")
	require.Len(t, blocks, 3)
	require.Equal(t, strings.Join([]string{
		"2. report",
		"   target       kb/weekly/2026-W48.md",
		"   item         w48",
		"   tool         gitpages 1",
		"   schema       " + p.Actions[1].SchemaDigest.String(),
		"   declaration  " + abcHex[:12],
		"   class        conditional",
		"   risk         low",
		"   key          " + p.Actions[1].IdempotencyKey,
		"   version      v1",
		"   depends on   topics",
		"   replaces     version v1, commit 11aa22b",
		"   only if      blob:none",
		"   parameters   23 bytes, " + fingerprintOf(t, p.Actions[1]),
		"   preview",
		"   │ +# <R&D>",
	}, "\n"), blocks[1])
	require.Equal(t, strings.Join([]string{
		"3. index",
		"   target       kb/index.md",
		"   key          " + p.Actions[2].IdempotencyKey,
		"   receipt      already done, 2026-01-05T10:00:00Z, 3f2c9a1, commit on main",
	}, "\n"), blocks[2])
}

func fingerprintOf(t *testing.T, a Action) string {
	t.Helper()
	d, err := Fingerprint(a.Parameters)
	require.NoError(t, err)
	return d.String()
}

// What the planner has chosen stands out, and what it says of its reasons is
// shown as its word.
func TestTargetThatTheTaskDoesNotNameIsMarked(t *testing.T) {
	p := samplePlan()
	page, _, _ := strings.Cut(rendered(t, p), "\n2. ")
	require.NotContains(t, page, "! target")
	require.NotContains(t, Summary(p, 4096), "chosen by the planner")

	p.Actions[0].Within, p.Actions[0].Documents = "kb", []string{"notes/search.md", "notes/a\u202eb.md"}
	page, _, _ = strings.Cut(rendered(t, p), "\n2. ")
	require.Contains(t, page, "   target       kb/topics/search.md\n"+
		"   ! target     not named by the task, which says kb: the planner has chosen it\n")
	require.Contains(t, page, "   derived from notes/search.md\n   derived from notes/a\\u{202E}b.md\n")
	require.Contains(t, Summary(p, 4096), "- `topics` `kb/topics/search.md` (chosen by the planner; the task names `kb`) by `gitpages`")
}

func TestRenderShowsParametersWhereThereIsNoPreview(t *testing.T) {
	p := samplePlan()
	p.Actions[0].Preview = ""
	p.Actions[0].Parameters = json.RawMessage("{\"amount\":82000,\"note\":\"\u202e\"}")
	require.Contains(t, rendered(t, p), "   parameters\n   │ {\"amount\":82000,\"note\":\"\\u{202E}\"}\n")
}

func TestC073_NoTextOfAPlanCanDrawOrHide(t *testing.T) {
	p := samplePlan()
	evil := "x\n3. index\u202e\x1b[8m\U000E0041"
	p.Goal, p.Notes = evil, []string{evil}
	p.Actions[0].Target, p.Actions[0].Precondition, p.Actions[0].Replaces = evil, evil, evil
	p.Actions[0].Preview = "+a\n\n4. forged\n   target       kb/other.md\r\n\tindented\u200b"
	p.Actions[2].Done.Detail = evil
	page := rendered(t, p)

	unfolded := strings.ReplaceAll(page, "\n              ┆ ", "")
	require.Equal(t, 6, strings.Count(unfolded, `x\u{000A}3. index\u{202E}\u{001B}[8m\u{E0041}`))
	require.Contains(t, page, "   │ +a\n   │ \n   │ 4. forged\n   │    target       kb/other.md\\u{000D}\n   │ \tindented\\u{200B}\n")
	for l := range strings.SplitSeq(page, "\n") {
		require.False(t, strings.HasPrefix(l, "4. "), "a document drew an action")
	}
}

// A terminal of 80 columns breaks no line of the page, so that it never starts one
// with a document's words: not those after 64 blanks, and not those after as many
// wide letters.
func TestC073_NoLongTextDrawsALineWhereATerminalBreaksIt(t *testing.T) {
	const forged = "2. a2"
	for name, filler := range map[string]string{
		"blanks": strings.Repeat(" ", 64), "many blanks": strings.Repeat(" ", 640), "letters": strings.Repeat("x", 64),
		"wide blanks": strings.Repeat("\u3000", 32), "wide letters": strings.Repeat("字", 32), "tabs": strings.Repeat("\t", 9),
	} {
		t.Run(name, func(t *testing.T) {
			p := samplePlan()
			p.Goal, p.Notes = filler+forged, []string{filler + forged}
			p.Actions[0].Item, p.Actions[0].Preview = filler+forged, "+"+filler+filler+forged+"\n"
			withKeys(&p)
			page := rendered(t, p)
			require.GreaterOrEqual(t, strings.Count(page, "┆ "), 4)
			for l := range strings.SplitSeq(page, "\n") {
				if strings.Contains(l, "sha256:") {
					continue
				}
				require.LessOrEqual(t, shownColumns(l), 80, l)
				require.False(t, strings.HasPrefix(strings.TrimSpace(l), forged) && l != "2. report", l)
			}
		})
	}
}

// shownColumns is what a terminal takes for a line, with its tabs at every eighth
// column.
func shownColumns(l string) int {
	n := 0
	for _, r := range l {
		switch {
		case r == '\t':
			n += 8 - n%8
		case r == '字', r == '\u3000':
			n += 2
		default:
			n++
		}
	}
	return n
}

func TestRenderCutsNothing(t *testing.T) {
	p := samplePlan()
	p.Actions[0].Preview = strings.Repeat("+"+strings.Repeat("字", 5000)+"\n", 200)
	require.Equal(t, 200*5000, strings.Count(rendered(t, p), "字"))
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestRenderReportsTheWritersError(t *testing.T) {
	require.EqualError(t, Render(brokenPipe{}, samplePlan(), Digest{}), "broken pipe")
}
