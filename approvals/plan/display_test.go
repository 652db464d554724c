package plan

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEscapeShowsWhatAScreenHides(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"plain":             {"Weekly report, 周报 W40 – naïve ☃ 😀", "Weekly report, 周报 W40 – naïve ☃ 😀"},
		"wide blank":        {"a\u3000b", "a\u3000b"},
		"decomposed":        {"e\u0301", "e\u0301"},
		"lines":             {"a\nb\tc\r", `a\u{000A}b\u{0009}c\u{000D}`},
		"terminal":          {"\x1b[2K\x07\u009b", `\u{001B}[2K\u{0007}\u{009B}`},
		"bidi":              {"a\u202eb\u2066c\u2069\u200f\u061c", `a\u{202E}b\u{2066}c\u{2069}\u{200F}\u{061C}`},
		"zero width":        {"a\u200bb\u200c\u200d\u2060\ufeff\u00ad", `a\u{200B}b\u{200C}\u{200D}\u{2060}\u{FEFF}\u{00AD}`},
		"tags":              {"x\U000E0001\U000E0068\U000E0069", `x\u{E0001}\u{E0068}\u{E0069}`},
		"variation":         {"a\ufe0f\U000E0100", `a\u{FE0F}\u{E0100}`},
		"fillers":           {"\u3164\u115f\u034f", `\u{3164}\u{115F}\u{034F}`},
		"separators":        {"a\u2028b\u2029", `a\u{2028}b\u{2029}`},
		"private":           {"\ue000", `\u{E000}`},
		"NUL":               {"\x00", `\u{0000}`},
		"no UTF-8":          {"a\xffb", `a\x{FF}b`},
		"replacement":       {"\ufffd", "\ufffd"},
		"pretended":         {`C:\new \u{202E} \x{00}`, `C:\new \u{005C}u{202E} \u{005C}x{00}`},
		"backslash at last": {`a\`, `a\`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, Escape(tc.text))
		})
	}
	require.Equal(t, "a\n\tb\\u{000D}\n\\u{202E}", EscapeLines("a\n\tb\r\n\u202e"))
}

// unescape undoes Escape.
func unescape(t require.TestingT, shown string) string {
	return regexp.MustCompile(`\\[ux]\{[0-9A-F]+\}`).ReplaceAllStringFunc(shown, func(e string) string {
		code, err := strconv.ParseUint(e[3:len(e)-1], 16, 32)
		require.NoError(t, err)
		if e[1] == 'x' {
			return string([]byte{byte(code)})
		}
		return string(rune(code))
	})
}

func TestEscapeIsVisibleAndLosesNothing(t *testing.T) {
	pieces := []string{`\`, "u", "x", "{", "}", "0", "A", "\n", "\x00", "\u202e", "\U000E0041", "\xff", "\xe2\x80", "周"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String())).Draw(t, "text"), "")
		shown := Escape(text)
		require.True(t, utf8.ValidString(shown))
		for _, r := range shown {
			require.True(t, visible(r))
		}
		require.Equal(t, text, unescape(t, shown))
	})
}
