package signature

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPatternList(t *testing.T) {
	for _, tc := range []struct {
		list, text string
		want       bool
	}{
		{"mei", "mei", true},
		{"mei", "mei2", false},
		{"mei2", "mei", false},
		{"*", "mei", true},
		{"*@example.com", "mei@example.com", true},
		{"*@example.com", "mei@example.com.evil.org", false},
		{"*@example.com", "@example.com", true},
		{"m?i", "mei", true},
		{"m?i", "mi", false},
		{"m??i", "mei", false},
		{"m*i", "mi", true},
		{"*a*b", "xaxbxb", true},
		{"*a*b", "xaxbxbx", false},
		{"bob,mei", "mei", true},
		{"bob,,mei,", "mei", true},
		{"*,!mei", "mei", false},
		{"!mei,*", "mei", false},
		{"!mei,*", "bob", true},
		{"!mei", "bob", false},
		{"!m*,mei", "mei", false},
		{"!!mei,*", "!mei", false}, // only the first ! negates
		{"!!mei,*", "mei", true},
		{"", "mei", false},
		{"MEI", "mei", false}, // as OpenSSH; ParseAllowedSigners lowers principals
		{"[m]ei", "mei", false},
		{`\*`, "*", false},
	} {
		list, err := parsePatterns(tc.list)
		require.NoError(t, err)
		require.Equal(t, tc.want, list.match(tc.text), "%q on %q", tc.list, tc.text)
	}
	require.False(t, patterns(nil).match("mei"))
}

func TestPatternLength(t *testing.T) {
	_, err := parsePatterns("a,!" + strings.Repeat("*", maxPatternBytes))
	require.NoError(t, err)
	_, err = parsePatterns("a,!" + strings.Repeat("*", maxPatternBytes+1))
	require.ErrorContains(t, err, "1023 bytes; at most 1022")
}

func TestGlobIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringOfN(rapid.RuneFrom([]rune("ab*?")), 0, 8, -1).Draw(t, "pattern")
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 8, -1).Draw(t, "text")
		require.Equal(t, defined(pattern, text), glob(pattern, text))
	})
}

// defined is what ssh_config(5) says of * and ?, word for word.
func defined(pattern, text string) bool {
	switch {
	case pattern == "":
		return text == ""
	case pattern[0] == '*':
		return defined(pattern[1:], text) || text != "" && defined(pattern, text[1:])
	case text == "":
		return false
	}
	return (pattern[0] == '?' || pattern[0] == text[0]) && defined(pattern[1:], text[1:])
}

func TestLowerIsOfASCIIAlone(t *testing.T) {
	require.Equal(t, "mei@ex.com", lower("MEI@Ex.COM"))
	require.Equal(t, "\u212A\u0130\u00C4", lower("\u212A\u0130\u00C4"), "Kelvin sign, dotted I, A with dots")
}
