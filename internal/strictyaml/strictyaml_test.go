package strictyaml_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// parse reads a text as a configuration file would be read.
func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var node yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &node))
	return &node
}

type limits struct {
	Attempts int           `yaml:"attempts"`
	Base     time.Duration `yaml:"base"`
}

type common struct {
	Version string `yaml:"version"`
}

// own reads itself.
type own struct{ text string }

func (o *own) UnmarshalYAML(node *yaml.Node) error {
	if node.Value == "bad" {
		return errors.New("line 7: is bad")
	}
	o.text = node.Value
	return nil
}

type settings struct {
	common `yaml:",inline"`

	Name    string            `yaml:"name"`
	Limits  limits            `yaml:"limits"`
	Headers map[string]string `yaml:"headers"`
	Steps   []limits          `yaml:"steps"`
	ByName  map[string]limits `yaml:"by_name"`
	Pointer *limits           `yaml:"pointer"`
	Raw     yaml.Node         `yaml:"raw"`
	Own     own               `yaml:"own"`
	Hidden  string            `yaml:"-"`
	Untold  string
}

func TestDecodeFillsWhatIsThere(t *testing.T) {
	var got settings
	require.NoError(t, strictyaml.Decode("f.yaml", parse(t, `
version: "2"
name: x
limits: {attempts: 3, base: 2s}
headers: {Accept: text/plain}
steps: [{attempts: 1}, {base: 1ms}]
by_name: {a: {attempts: 4}}
pointer: {attempts: 5}
raw: {anything: [goes]}
own: good
`), &got))
	require.Equal(t, "2", got.Version)
	require.Equal(t, limits{Attempts: 3, Base: 2 * time.Second}, got.Limits)
	require.Equal(t, map[string]string{"Accept": "text/plain"}, got.Headers)
	require.Equal(t, []limits{{Attempts: 1}, {Base: time.Millisecond}}, got.Steps)
	require.Equal(t, map[string]limits{"a": {Attempts: 4}}, got.ByName)
	require.Equal(t, &limits{Attempts: 5}, got.Pointer)
	require.Equal(t, yaml.MappingNode, got.Raw.Kind)
	require.Equal(t, own{"good"}, got.Own)
}

func TestDecodeOfNothingLeavesTheDefaults(t *testing.T) {
	for _, node := range []*yaml.Node{nil, {}, parse(t, ""), parse(t, "# a comment\n"), parse(t, "~")} {
		got := settings{Name: "default"}
		require.NoError(t, strictyaml.Decode("f.yaml", node, &got))
		require.Equal(t, settings{Name: "default"}, got)
	}
}

func TestDecodeNamesFileAndLineOfAMistake(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"unknown":            {"name: x\nnam: y\n", `f.yaml:2: unknown field "nam"; known are version, name, limits, headers, steps, by_name, pointer, raw, own`},
		"another case":       {"Name: x\n", `f.yaml:1: unknown field "Name"`},
		"unknown inside":     {"limits:\n  attempts: 1\n  tries: 2\n", `f.yaml:3: unknown field "tries"; known are attempts, base`},
		"unknown in a list":  {"steps:\n  - attempts: 1\n  - tries: 1\n", `f.yaml:3: unknown field "tries"`},
		"unknown in a map":   {"by_name:\n  a:\n    bas: 1s\n", `f.yaml:3: unknown field "bas"`},
		"unknown by pointer": {"pointer:\n  bas: 1s\n", `f.yaml:2: unknown field "bas"`},
		"through an alias":   {"by_name:\n  a: &a\n    attempts: 1\n  b: *a\nlimits: &l\n  bas: 1s\n", `f.yaml:6: unknown field "bas"`},
		"a field without tag": {
			"untold: x\n", `f.yaml:1: unknown field "untold"`},
		"a field kept out": {"'-': x\n", `f.yaml:1: unknown field "-"`},
		"a merge key":      {"limits: &l {attempts: 1}\npointer:\n  <<: *l\n", `f.yaml:3: unknown field "<<"`},
		"twice":            {"name: x\nlimits: {}\nname: y\n", `f.yaml:3: name stands in line 1 already`},
		"twice in a map":   {"headers:\n  Accept: a\n  Accept: b\n", `f.yaml:3: Accept stands in line 2 already`},
		"a text as number": {"limits:\n  attempts: many\n", `f.yaml:2: limits.attempts: "many" is no whole number`},
		"half an attempt":  {"limits:\n  attempts: 4.5\n", `f.yaml:2: limits.attempts: "4.5" is no whole number`},
		"too many to hold": {"limits:\n  attempts: 1e99\n", `f.yaml:2: limits.attempts: "1e99" is no whole number`},
		"a list as number": {"limits:\n  attempts: [1]\n", `f.yaml:2: limits.attempts: a list is no whole number`},
		"a bare number as period": {
			"limits:\n  base: 3\n", `f.yaml:2: limits.base: "3" is no period of time; write one with its unit, such as 500ms, 30s or 24h`},
		"a period beyond counting": {
			"limits:\n  base: 99999999999h\n", `f.yaml:2: limits.base: "99999999999h" is no period of time`},
		"an object as text":    {"name: {a: b}\n", "f.yaml:1: name: an object is no text"},
		"a list as object":     {"limits: [1]\n", "f.yaml:1: limits: fields are expected here, and not a list"},
		"a text as object":     {"limits: none\n", `f.yaml:1: limits: fields are expected here, and not "none"`},
		"a text as list":       {"steps: none\n", `f.yaml:1: steps: a list is expected here, and not "none"`},
		"in a list":            {"steps:\n  - {}\n  - attempts: x\n", `f.yaml:3: steps[1].attempts: "x" is no whole number`},
		"in a map":             {"by_name:\n  a: {base: x}\n", `f.yaml:2: by_name.a.base: "x" is no period of time`},
		"a merge key in a map": {"headers: &h {A: b}\nby_name:\n  <<: *h\n", "f.yaml:3: a member's name must be a text"},
		"what reads itself": {
			"own: bad\n", "f.yaml:7: own: is bad"},
	} {
		t.Run(name, func(t *testing.T) {
			err := strictyaml.Decode("f.yaml", parse(t, tt.text), new(settings))
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAbsent(t *testing.T) {
	node := parse(t, "a: {}\nb:\nc: ~\nd: ''\ne: 0\n")
	for name, want := range map[string]bool{"a": false, "b": true, "c": true, "d": false, "e": false, "f": true} {
		require.Equal(t, want, strictyaml.Absent(strictyaml.Field(node, name)), name)
	}
	require.True(t, strictyaml.Absent(nil))
	require.True(t, strictyaml.Absent(&yaml.Node{}))
	require.True(t, strictyaml.Absent(parse(t, "")))
}

func TestFieldFollowsAPath(t *testing.T) {
	node := parse(t, "a:\n  - x\n  - b: &b\n      c: 1\nd: *b\n")
	require.Equal(t, 4, strictyaml.Field(node, "a", "1", "b", "c").Line)
	require.Equal(t, 4, strictyaml.Field(node, "d", "c").Line, "through an alias")
	for _, path := range [][]string{{"b"}, {"a", "2"}, {"a", "-1"}, {"a", "x"}, {"a", "0", "x"}} {
		require.Nil(t, strictyaml.Field(node, path...), "%v", path)
	}
	require.Equal(t, 3, strictyaml.Nearest(node, "a", "1", "absent", "further").Line)
	require.Equal(t, 1, strictyaml.Nearest(node, "absent").Line)
	require.Nil(t, strictyaml.Nearest(nil, "a"))
}

func TestWithLine(t *testing.T) {
	require.NoError(t, strictyaml.WithLine("f.yaml", 3, nil))
	require.EqualError(t, strictyaml.WithLine("f.yaml", 3, errors.New("is bad")), "f.yaml:3: is bad")
	require.EqualError(t, strictyaml.WithLine("f.yaml", 3, errors.New("yaml: line 9: is bad")), "f.yaml:9: is bad")
	require.EqualError(t, strictyaml.Fail("f.yaml", nil, "no %s", "line"), "f.yaml:1: no line")
}

// None of the mistakes hides another, and what is right is filled in all the
// same.
func TestDecodeNamesEveryMistake(t *testing.T) {
	var got settings
	err := strictyaml.Decode("f.yaml", parse(t, `name: x
nam: y
limits: {attempts: many, base: 2}
own: bad
steps:
  - attempts: 2
  - tries: 1
version: "2"
`), &got)
	require.EqualError(t, err, strings.Join([]string{
		`f.yaml:2: unknown field "nam"; known are version, name, limits, headers, steps, by_name, pointer, raw, own`,
		`f.yaml:3: limits.attempts: "many" is no whole number`,
		`f.yaml:3: limits.base: "2" is no period of time; write one with its unit, such as 500ms, 30s or 24h`,
		`f.yaml:7: own: is bad`,
		`f.yaml:7: unknown field "tries"; known are attempts, base`,
	}, "\n"))
	require.Equal(t, "x", got.Name)
	require.Equal(t, "2", got.Version)
	require.Equal(t, []limits{{Attempts: 2}, {}}, got.Steps)
}

// Some lines of aliases stand for any number of values.
func TestDecodeBoundsWhatAliasesStandFor(t *testing.T) {
	err := strictyaml.Decode("f.yaml", parse(t, "raw:\n  "+strings.ReplaceAll(strings.TrimSuffix(multiplying(), "\n"), "\n", "\n  ")), new(settings))
	require.EqualError(t, err, "f.yaml:4: the aliases stand for more than 1000 values; write out what you need")

	require.EqualError(t, strictyaml.Decode("f.yaml", parse(t, "raw: &a\n  b: *a\n"), new(settings)),
		"f.yaml:2: the alias *a is a part of itself")

	var got settings
	require.NoError(t, strictyaml.Decode("f.yaml", parse(t, "by_name:\n  a: &a {attempts: 1}\n  b: *a\n  c: *a\n"), &got), "a few are fine")
	require.Equal(t, 1, got.ByName["c"].Attempts)
}
