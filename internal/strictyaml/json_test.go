package strictyaml_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

func TestJSONMeansWhatTheYAMLMeans(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"an object":       {"b: 1\na: [x, 'y', \"z\"]\n", `{"b":1,"a":["x","y","z"]}`},
		"nothing":         {"", `null`},
		"empty ones":      {"{a: {}, b: [], c: '', d: }", `{"a":{},"b":[],"c":"","d":null}`},
		"truth":           {"[true, false, 'true', yes]", `[true,false,"true","yes"]`},
		"digits are kept": {"[1.50, 12345678901234567890, 1e3, -0]", `[1.50,12345678901234567890,1e3,-0]`},
		"YAML's numbers":  {"[0x1F, 0o17, 1_000, +7]", `[31,15,1000,7]`},
		"leading zeros":   {"['007']", `["007"]`},
		"a date":          {"due: 2026-12-01", `{"due":"2026-12-01"}`},
		"a time":          {"at: 2026-12-01T10:00:00+01:00", `{"at":"2026-12-01T10:00:00+01:00"}`},
		"letters":         {`["<&>", "周报", "a\tb", "\u2028"]`, `["<&>","周报","a\tb","\u2028"]`},
		"names of digits": {"{1: a, true: b}", `{"1":"a","true":"b"}`},
		"an alias":        {"a: &x {b: 1}\nc: *x\n", `{"a":{"b":1},"c":{"b":1}}`},
		"several lines":   {"a: |\n  x\n  y\n", `{"a":"x\ny\n"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := strictyaml.JSON("f.yaml", parse(t, tt.text))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
			require.True(t, json.Valid(got))
		})
	}
}

func TestJSONRefusesWhatJSONCannotSay(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"twice":               {"a: 1\nb: 2\na: 3\n", "f.yaml:3: a stands in line 1 already"},
		"twice inside":        {"x:\n  a: 1\n  a: 1\n", "f.yaml:3: a stands in line 2 already"},
		"a merge key":         {"a: &a {b: 1}\nc:\n  <<: *a\n", "f.yaml:3: a member's name must be a text"},
		"a list as name":      {"? [a]\n: b\n", "f.yaml:1: a member's name must be a text"},
		"infinity":            {"a: 1\nb: .inf\n", "f.yaml:2: JSON has no number .inf"},
		"no number":           {"a: .nan\n", "f.yaml:1: JSON has no number .nan"},
		"half a number":       {"a: .5\n", "f.yaml:1: JSON has no number .5"},
		"beyond int64":        {"a: 0xFFFFFFFFFFFFFFFF\n", "f.yaml:1: JSON has no number 0xFFFFFFFFFFFFFFFF"},
		"binary":              {"a: !!binary aGk=\n", "f.yaml:1: JSON has no value of type binary"},
		"a part of itself":    {"a: &a\n  b: *a\n", "more than 100 levels of nesting"},
		"too deep":            {strings.Repeat("[", 101) + strings.Repeat("]", 101), "f.yaml:1: more than 100 levels of nesting"},
		"one that multiplies": {multiplying(), "more than 1000000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := strictyaml.JSON("f.yaml", parse(t, tt.text))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// multiplying is a small document that stands for ten million values.
func multiplying() string {
	text := "a0: &a0 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
	for i := range 6 {
		before, now := string(rune('0'+i)), string(rune('1'+i))
		text += "a" + now + ": &a" + now + " [" + strings.Repeat("*a"+before+", ", 9) + "*a" + before + "]\n"
	}
	return text
}
