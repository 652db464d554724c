package strictyaml_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

func TestMaxNodesOfLongTexts(t *testing.T) {
	prose := "one, two: [three, {four: five}] - six? 'seven\" - eight, nine: ten"
	for name, text := range map[string]string{
		"a block":           "a:\n  - b: |\n" + strings.Repeat("      "+prose+"\n\n", 1000) + "    c: 1\n",
		"a folded block":    "a: >-2\r\n" + strings.Repeat("  "+prose+"\r\n", 1000) + "c: 1\r\n",
		"quotes":            `a: "` + strings.ReplaceAll(strings.Repeat(prose, 1000), `"`, `\"`) + "\" # a comment\nb: 1\n",
		"quotes, broken":    `a: "` + strings.ReplaceAll(strings.Repeat(prose+"\n  ", 1000), `"`, `\"`) + "\"\nb: 1\n",
		"single quotes":     `a: '` + strings.ReplaceAll(strings.Repeat(prose+"\n  ", 1000), `'`, `''`) + "'\nb: 1\n",
		"comments":          strings.Repeat("# "+prose+"\n", 1000) + "a: 1\n",
		"behind a list":     "a: [b, c]\nd:\n- e\n- 'f'\n- [g]\n- h [i] \"j\"\nb: |\n" + strings.Repeat("  "+prose+"\n", 1000),
		"behind plain":      "a: It's [a], \"b\" and\n  more \"of\" [it]\nb: |\n" + strings.Repeat("  "+prose+"\n", 1000),
		"text in no quotes": "a: b" + strings.Repeat("\n  one, two; three -four", 1000),
	} {
		require.Less(t, strictyaml.MaxNodes(text), 40, name)
		require.GreaterOrEqual(t, strictyaml.MaxNodes(text), nodesOf(text), name)
	}
}

func TestMaxNodesOfManyValues(t *testing.T) {
	for name, text := range map[string]string{
		"a list":                "[" + strings.Repeat("1,", 1000) + "1]",
		"members":               "{" + strings.Repeat("a,", 1000) + "1}",
		"lines":                 strings.Repeat("- 1\n", 1000),
		"documents":             strings.Repeat("---\n", 1000),
		"behind a false quote":  "a: [b \"c, " + strings.Repeat("1,", 1000) + "1, d\"]",
		"a quote that goes on":  "a: b\n  - \"c\nd: [" + strings.Repeat("1,", 1000) + "1]\ne: \"f\"\n",
		"behind a false block":  "a:\n - b: |\n  c: [" + strings.Repeat("1,", 1000) + "1]\n",
		"a block that is none":  "[a: |\n   " + strings.Repeat("1,", 1000) + "1]\n",
		"behind another break":  "# a\u2028[" + strings.Repeat("1,", 1000) + "1]\n",
		"behind a lone return":  "# a\r[" + strings.Repeat("1,", 1000) + "1]\n",
		"a key that is a quote": "a \"b\": [" + strings.Repeat("1,", 1000) + "1]\n",
	} {
		require.GreaterOrEqual(t, strictyaml.MaxNodes(text), 1000, name)
		require.GreaterOrEqual(t, strictyaml.MaxNodes(text), nodesOf(text), name)
	}
}

// No text has more nodes than MaxNodes says. The texts are of the pieces in
// which scanners differ.
func TestMaxNodesIsNeverTooFew(t *testing.T) {
	pieces := []string{
		"a: ", "b:", "- ", "-", "? ", ": ", ":", "[", "]", "{", "}", ",", ", ", "1", "x", "\"", "'", "''", "\\", "|", ">", "|-", ">2", "#", " #",
		"\n", "\n", "\n", "\n  ", "\n    ", " ", "  ", "---", "...", "\n---\n", "\n...\n", "&a ", "*a", "!t ", "!<[>", "%", "\r\n", "\r", "\u2028", "é", "\t",
		"a: |\n", "a: \"", "a: '", "a: [1, 2]\n", "- \"b\"\n", "key: text\n", "key: |\n  text\n",
	}
	random := rand.New(rand.NewPCG(1, 2))
	read := 0
	for range 200_000 {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		if n := nodesOf(b.String()); n > 0 {
			read++
			require.GreaterOrEqual(t, strictyaml.MaxNodes(b.String()), n, "%q", b.String())
		}
	}
	require.Greater(t, read, 20_000, "most others are no YAML")
}

func FuzzMaxNodes(f *testing.F) {
	f.Add("a: |\n  b\n- \"c\": [d, {e: f}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		require.GreaterOrEqual(t, strictyaml.MaxNodes(text), nodesOf(text))
	})
}

// nodesOf counts the nodes of a text's documents, up to its first mistake.
func nodesOf(text string) int {
	total := 0
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var document yaml.Node
		if decoder.Decode(&document) != nil {
			return total
		}
		total += countNodes(&document) - 1 // the document is none
	}
}

func countNodes(n *yaml.Node) int {
	total := 1
	for _, kid := range n.Content {
		total += countNodes(kid)
	}
	return total
}
