package plan

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestShowHidesWhatLooksLikeSomethingElse(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"plain":             {"Weekly report, 周报 W40 – naïve ☃ 😀", "Weekly report, 周报 W40 – naïve ☃ 😀"},
		"as Escape does":    {"a\u202eb\x00" + `\u{41}`, `a\u{202E}b\u{0000}\u{005C}u{41}`},
		"no-break":          {"10\u00a0000\u202f000", `10\u{00A0}000\u{202F}000`},
		"thin and wide":     {"a\u2000b\u2009c\u200ad\u205fe\u3000f\u1680", `a\u{2000}b\u{2009}c\u{200A}d\u{205F}e\u{3000}f\u{1680}`},
		"empty glyphs":      {"a\u2800b\U0001D159", `a\u{2800}b\u{1D159}`},
		"fillers":           {"\u3164\uffa0\u115f\u1160", `\u{3164}\u{FFA0}\u{115F}\u{1160}`},
		"variation":         {"a\ufe0f", `a\u{FE0F}`},
		"accents":           {"e\u0301 o\u0302\u0301", "e\u0301 o\u0302\u0301"},
		"struck through":    {"x\u0336y\u0338z\u0332", `x\u{0336}y\u{0338}z\u{0332}`},
		"enclosed":          {"a\u20e0b\u20dd", `a\u{20E0}b\u{20DD}`},
		"mark on a digit":   {"1\u0301", `1\u{0301}`},
		"mark on nothing":   {"\u0301a \u0301", `\u{0301}a \u{0301}`},
		"the same twice":    {"e\u0301\u0301", `e` + "\u0301" + `\u{0301}`},
		"five marks":        {"e\u0301\u0302\u0303\u0304\u0306", "e\u0301\u0302\u0303\u0304" + `\u{0306}`},
		"Hindi":             {"हिन्दी", "हिन्दी"},
		"Thai":              {"ภาษาไทย", "ภาษาไทย"},
		"Hebrew":            {"goal שלום עולם, done 5", "goal שלום עולם, done 5"},
		"with points":       {"שָׁלוֹם", "שָׁלוֹם"},
		"Arabic":            {"note مرحبا بالعالم", "note مرحبا بالعالم"},
		"Arabic prose":      {"مرحبا، يا عالم.", "مرحبا، يا عالم."},
		"digits before":     {"12 שלום", "12 שלום"},
		"digits after":      {"א 100 200 ב", `\u{05D0} 100 200 \u{05D1}`},
		"one digit":         {"אב 5", `\u{05D0}\u{05D1} 5`},
		"letters between":   {"א EUR 100", "א EUR 100"},
		"a path":            {"kb/א/ב.md", `kb/\u{05D0}/\u{05D1}.md`},
		"brackets between":  {"א (ב)", `\u{05D0} (\u{05D1})`},
		"brackets around":   {"see (אב) there", "see (אב) there"},
		"Arabic digits":     {"١٠٠ ٢٠٠", `\u{0661}\u{0660}\u{0660} \u{0662}\u{0660}\u{0660}`},
		"a name of a file":  {"א.txt ב.txt", "א.txt ב.txt"},
		"beside an escape":  {"א\u200b5", "א" + `\u{200B}5`},
		"one run of two":    {"א 1 x ב y", `\u{05D0} 1 x ב y`},
		"digits at the end": {"x א ב, 7", `x \u{05D0} \u{05D1}, 7`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, Show(tc.text))
		})
	}
	require.Equal(t, "א\n5\n\ta\\u{00A0}b", ShowLines("א\n5\n\ta\u00a0b"), "each line is for itself")
}

// What is signed must not change with what a screen shows.
func TestShowLeavesEscapeAlone(t *testing.T) {
	const text = "a\u00a0b\u3000c x\u0336 א 100 200 ב \u2800"
	require.Equal(t, text, Escape(text))
	require.Equal(t, "run: "+`a\u{202E}b\u{00A0}`+"\n", OnScreen("run: "+Escape("a\u202eb\u00a0")+"\n"))
}

func TestShowLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(directed(), rapid.String()).Draw(t, "text")
		shown := Show(text)
		require.True(t, utf8.ValidString(shown))
		require.Equal(t, text, unescape(t, shown))
		for _, r := range shown {
			require.True(t, visible(r), "%q", r)
			require.False(t, r != ' ' && unicode.Is(unicode.Zs, r), "%q", r)
		}
	})
}

// The accents are those with which Unicode composes letters, but for overlays.
func TestAccentsComposeLetters(t *testing.T) {
	want := map[rune]bool{}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		decomposed := norm.NFD.PropertiesString(string(r)).Decomposition()
		for _, mark := range string(decomposed) {
			if unicode.Is(commonMarks, mark) && norm.NFD.PropertiesString(string(mark)).CCC() != 1 && norm.NFD.String(string(mark)) == string(mark) {
				want[mark] = true
			}
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		require.Equal(t, want[r], unicode.Is(accents, r), "%U", r)
		overlay := unicode.Is(unicode.Mn, r) && norm.NFD.PropertiesString(string(r)).CCC() == 1
		require.Equal(t, overlay && !unicode.Is(commonMarks, r), unicode.Is(overlays, r), "%U", r)
	}
}
