package planfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/planfile"
)

func TestReadIsTheFileAsItIs(t *testing.T) {
	for name, tt := range map[string]struct {
		format planfile.Format
		data   string
		want   string
	}{
		"JSON":              {planfile.JSON, "\r\n{\"b\": 1,\t\"a\": \"周报\"}\n", `{"a":"周报","b":1}`},
		"YAML":              {planfile.YAML, "b: 1\r\na: 周报\r\n", `{"a":"周报","b":1}`},
		"a byte order mark": {planfile.JSON, "\uFEFF{}", `{}`},
		"written as escape": {planfile.JSON, `{"a":"\u200b"}`, "{\"a\":\"\u200b\"}"},
		"emoji and joiners": {planfile.JSON, "{\"a\":\"⚠\uFE0F👩\u200D💻 नमस\u200C\"}", "{\"a\":\"⚠\uFE0F👩\u200D💻 नमस\u200C\"}"},
		"wide blanks":       {planfile.JSON, "{\"a\":\"\u00a0\u3000\"}", "{\"a\":\"\u00a0\u3000\"}"},
	} {
		f, err := planfile.Read("f", tt.format, []byte(tt.data))
		require.NoError(t, err, name)
		require.Equal(t, tt.want, string(f.JSON), name)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		format planfile.Format
		data   string
		want   string
	}{
		"NUL":                  {planfile.JSON, "{\n \"a\u00e9\": \"\x00\"}", "f:2: character 9 of the line is U+0000, which nobody can see: take it out, or write it as the escape of a text"},
		"a tag":                {planfile.JSON, "{\"\U000E0041\":1}", "f:1: character 3 of the line is U+E0041, which"},
		"an order":             {planfile.YAML, "a: \u202e", "f:1: character 4 of the line is U+202E, which"},
		"a mark inside":        {planfile.JSON, "{\uFEFF}", "f:1: character 2 of the line is U+FEFF, which"},
		"a selector":           {planfile.JSON, "\"\uFE00\"", "f:1: character 2 of the line is U+FE00, which"},
		"a next line":          {planfile.YAML, "a: b\u0085", "f:1: character 5 of the line is U+0085, which"},
		"Latin 1":              {planfile.JSON, "\"caf\xe9\"", "f:1: character 5 of the line is no UTF-8 (byte 0xE9): save the file as UTF-8"},
		"GBK":                  {planfile.YAML, "\n\na: \xc4\xe3", "f:3: character 4 of the line is no UTF-8 (byte 0xC4)"},
		"a repair":             {planfile.JSON, "\"\uFFFD\"", "f:1: character 2 of the line is U+FFFD, the mark of something"},
		"nothing":              {planfile.JSON, "", "f: the file is malformed: there is no JSON"},
		"no YAML":              {planfile.YAML, "# nothing\n", "f: the file is empty"},
		"two values":           {planfile.JSON, "{} {}", "f: the file is malformed: no JSON"},
		"two documents":        {planfile.YAML, "a: 1\n---\nb: 1\n", "f:2: more follows after the end of the document"},
		"a member twice":       {planfile.JSON, `{"a":1,"a":1}`, "f: the file is malformed: a second member of this name, at /a"},
		"a field twice":        {planfile.YAML, "a: 1\na: 2\n", "f:2: a stands in line 1 already"},
		"a number out of JSON": {planfile.YAML, "a: 12345678901234567890\n", "f: the file is malformed: "},
		"deep JSON":            {planfile.JSON, strings.Repeat("[", 2_000_000), "f: the file is malformed: "},
		"deep YAML":            {planfile.YAML, strings.Repeat("[", 101) + strings.Repeat("]", 101), "f:1: more than 100 levels of nesting"},
		"an endless alias":     {planfile.YAML, "a: &a [*a]\n", "f:1: "},
		"a large file":         {planfile.JSON, strings.Repeat(" ", planfile.MaxBytes+1), "f: the file has 16777217 bytes; at most 16777216 are read"},
	} {
		_, err := planfile.Read("f", tt.format, []byte(tt.data))
		require.ErrorContains(t, err, tt.want, name)
		require.True(t, strings.HasPrefix(err.Error(), "f:"), name)
	}
}

func TestPlacesHaveLinesWhereTheySaySomething(t *testing.T) {
	f, err := planfile.Read("f", planfile.YAML, []byte("a:\n  - b: 1\n    c: 2\n"))
	require.NoError(t, err)
	require.Equal(t, "f:3", f.Place("a", "0", "c"))
	require.Equal(t, "f:2", f.Place("a", "0", "d"))
	f, err = planfile.Read("f", planfile.JSON, []byte(`{"a":1}`))
	require.NoError(t, err)
	require.Equal(t, "f", f.Place("a"))
}

func TestFormats(t *testing.T) {
	for name, want := range map[string]planfile.Format{"a.json": planfile.JSON, "a.JSON": planfile.JSON, "b/c.yaml": planfile.YAML, "c.YML": planfile.YAML, "json": "", "a.txt": ""} {
		got, known := planfile.FormatOf(name)
		require.Equal(t, want, got, name)
		require.Equal(t, want != "", known, name)
	}
	require.Equal(t, "actions.json", planfile.JSON.Name())
	require.Equal(t, "actions.yaml", planfile.YAML.Name())
}
