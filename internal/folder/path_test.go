package folder

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEscapePath(t *testing.T) {
	for raw, escaped := range map[string]string{
		"notes/billing.md": "notes/billing.md",
		"支付网关.md":          "支付网关.md",
		"caf\xe9.md":       `caf\xe9.md`,
		`a\b.md`:           `a\\b.md`,
		`a\xe9.md`:         `a\\xe9.md`, // a name that looks like an escape is not one
		"line\nbreak.md":   "line\nbreak.md",
		"\xe6\x94/x":       `\xe6\x94/x`, // the first two of three bytes
		"\uFFFD.md":        "\uFFFD.md",  // the replacement character itself is a character
	} {
		require.Equal(t, escaped, EscapePath(raw))
		back, err := RawPath(escaped)
		require.NoError(t, err)
		require.Equal(t, raw, back)
	}
}

func TestEscapePath_AnyBytesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := string(rapid.SliceOf(rapid.SampledFrom([]byte("ax\\/9\xe9\xe6\x94\xaf\x00\n"))).Draw(t, "raw"))
		escaped := EscapePath(raw)
		require.True(t, utf8.ValidString(escaped))
		back, err := RawPath(escaped)
		require.NoError(t, err)
		require.Equal(t, raw, back)
	})
}

func TestRawPath_RefusesWhatNoEscapeGives(t *testing.T) {
	for _, s := range []string{`a\`, `a\n`, `\x`, `\x9`, `\xgg`, `\u00e9`} {
		_, err := RawPath(s)
		require.Error(t, err, s)
	}
}

func TestFolderPath(t *testing.T) {
	for sub, want := range map[string][]string{
		"":             nil,
		".":            nil,
		"a":            {"a"},
		"a/b/":         {"a", "b"},
		"运维/值班":        {"运维", "值班"},
		`caf\xe9`:      {"caf\xe9"},
		"-rf":          {"-rf"},
		"with space/x": {"with space", "x"},
	} {
		got, err := folderPath(sub)
		require.NoError(t, err, sub)
		require.Equal(t, want, got, sub)
	}
	for _, sub := range []string{"/", "/etc", "..", "a/../..", "../x", "a//b", "a/./b", "./a", "a\x00b"} {
		_, err := folderPath(sub)
		require.Error(t, err, "%q", sub)
	}
}
