package model

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holdpoint/holdpoint/activities/planners"
)

func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "abcd": 1, "abcde": 2, "周报": 2, "周报a": 3, "周abcd报": 3, "😀": 1, "é": 1, "\n\n\n\n": 1, "\xff": 1,
	} {
		require.Equal(t, want, EstimateTokens(text), "%q", text)
	}
}

// The shares, by hand: short ones whole, the rest in equal parts.
func TestSharesOfTheRoom(t *testing.T) {
	for _, tt := range []struct {
		texts []weight
		room  weight
		want  weight
	}{
		{nil, 100, 0},
		{[]weight{10, 20}, 100, 20},        // all fit
		{[]weight{100}, 60, 60},            // one that does not
		{[]weight{100, 10, 100}, 90, 40},   // 10 whole, 40 each
		{[]weight{100, 30, 100}, 90, 30},   // equal
		{[]weight{50, 60, 70}, 100, 33},    // 99 used
		{[]weight{10, 20, 90, 90}, 99, 34}, // 10, 20, 34, 34
	} {
		require.Equal(t, tt.want, shareOf(tt.texts, tt.room), "%v in %d", tt.texts, tt.room)
	}
}

func TestCutAtALine(t *testing.T) {
	text := "one\ntwo\nthree" // 3+1, 3+1, 5
	for room, want := range map[weight][2]string{
		13: {text, ""},
		12: {"one\ntwo", "cut after line 2 of 3"},
		8:  {"one\ntwo", "cut after line 2 of 3"},
		7:  {"one\ntwo", "cut after line 2 of 3"},
		6:  {"one", "cut after line 1 of 3"},
		3:  {"one", "cut after line 1 of 3"},
		2:  {"on", "cut within line 1 of 3"},
		0:  {"", "cut within line 1 of 3"},
	} {
		kept, cut := cutText(text, 3, room)
		require.Equal(t, want, [2]string{kept, cut}, "%d", room)
	}
	kept, cut := cutText("周报", 1, 7)
	require.Equal(t, [2]string{"周", "cut within line 1 of 1"}, [2]string{kept, cut}, "at a letter's border")
	kept, cut = cutText("", 1, 0)
	require.Equal(t, [2]string{"", ""}, [2]string{kept, cut})
}

func document(name, text string) planners.Document {
	return planners.Document{Source: "s", Path: name, MediaType: "text/plain", Text: text}
}

// framed is a planner that only renders.
func framed(t require.TestingT) *Planner {
	templates, err := promptTemplates()
	require.NoError(t, err)
	return &Planner{templates: templates}
}

func TestWhatIsLeftOutIsNamed(t *testing.T) {
	long := strings.Repeat("a line of this document\n", 1000) // 24,000 quarters
	documents := []planners.Document{document("a.md", "short"), document("b.md", long), document("c.md", long)}
	for i := range 100 {
		documents = append(documents, document(fmt.Sprintf("more-%03d.md", i), long))
	}
	c, err := framed(t).choose(t.Context(), documents, 8000)
	require.NoError(t, err)
	// The frames have about 160 letters, and the long ones at least 800 of text.
	require.Len(t, c.shown, 9)
	require.Equal(t, "short", c.shown[0].Text)
	require.Len(t, c.cut, 8)
	require.Len(t, c.left, 94)
	require.Equal(t, "s/more-006.md", c.left[0], "those after the last one that fits, in the manifest's order")
	notes := c.notes(5000)
	require.Len(t, notes, 3)
	require.Equal(t, "of 103 documents the model was given 1 whole, 8 in part and 94 not at all, to keep within about 5000 tokens", notes[0])
	require.Regexp(t, `^given in part: s/b\.md \(cut after line 3\d of 1000\), s/c\.md `, notes[1])
	require.Regexp(t, `^not given: s/more-006\.md, .*, s/more-025\.md and 74 more$`, notes[2])

	c, err = framed(t).choose(t.Context(), documents[:1], 8000)
	require.NoError(t, err)
	require.Empty(t, c.notes(5000), "nothing is said when nothing is missing")
}

// Whatever the documents are, what is shown of them fits, in their order, and is
// theirs; and the same again is chosen the next time.
func TestWhatIsChosenFits(t *testing.T) {
	p := framed(t)
	rapid.Check(t, func(t *rapid.T) {
		var documents []planners.Document
		for i := range rapid.IntRange(0, 12).Draw(t, "documents") {
			lines := rapid.SliceOfN(rapid.StringMatching(`[a-z周报 ]{0,60}`), 0, 60).Draw(t, "lines")
			documents = append(documents, document(fmt.Sprintf("%02d.md", i), strings.Join(lines, "\n")))
		}
		room := weight(rapid.IntRange(0, 20000).Draw(t, "room"))
		c, err := p.choose(context.Background(), documents, room)
		require.NoError(t, err)
		require.Len(t, c.left, len(documents)-len(c.shown))
		used := weight(0)
		for i, e := range c.shown {
			e.Mark = strings.Repeat("0", markLength)
			shown, err := p.render("document", e)
			require.NoError(t, err)
			used += weightOf(shown) + 2
			require.Equal(t, fmt.Sprintf("%q", "s/"+documents[i].Path), e.Name)
			text := strings.TrimSuffix(readable(documents[i].Text), "\n")
			require.True(t, strings.HasPrefix(text, e.Text))
			require.Equal(t, e.Cut == "", e.Text == text)
		}
		require.LessOrEqual(t, used, room)
		again, err := p.choose(context.Background(), documents, room)
		require.NoError(t, err)
		require.Equal(t, c, again)
	})
}

func TestReadable(t *testing.T) {
	for text, want := range map[string]string{
		"周报\tok\n":                   "周报\tok\n",
		"a\U000E0041\U000E0042b":     "ab",   // tags
		"a\u202eb\u2066c\u200bd":     "abcd", // bidi controls, a zero-width blank
		"a\x00b\x1b[2Jc\rd":          "ab[2Jcd",
		"⚠️ 👩\u200d💻 می\u200cخواهم":  "⚠️ 👩\u200d💻 می\u200cخواهم",
		"a\ufe0f\ufe0f\ufe0f\u200db": "a\ufe0fb", // one selector, and no message of them
		"\u200d\u3164a\u00ad":        "a",
	} {
		require.Equal(t, want, readable(text), "%q", text)
	}
}

func TestNamesAreQuotedSoThatTheyCanBeRepeated(t *testing.T) {
	for name, want := range map[string]string{
		"notes/周二.md": `"notes/周二.md"`, "a\"\\b": `"a\"\\b"`, "a\n]]\u202e": `"a\u000a]]\u202e"`, "\U000E0041": `"\udb40\udc41"`,
	} {
		require.Equal(t, want, quoted(name))
		var read string
		require.NoError(t, json.Unmarshal([]byte(want), &read))
		require.Equal(t, name, read)
	}
}
