package outline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTooHeavy(t *testing.T) {
	for name, document := range map[string]string{
		"quotes in quotes":     strings.Repeat("> ", 60) + "x",
		"lists in lists":       strings.Repeat("1. ", 60) + "x",
		"deep and long":        strings.Repeat(" ", 2000) + "- x\n" + strings.Repeat("\n", 10_000),
		"references":           strings.Repeat("[a]: b\n", 1100),
		"marks in one block":   strings.Repeat("![](", 5000),
		"marks in all":         strings.Repeat("[a](b) `c` [a](b) `c`\n\n", 65_000),
		"lines in all":         strings.Repeat("x\n", maxNodes/3+1),
		"items in all":         strings.Repeat("- - - x\n", maxNodes/6+1),
		"escaped bars":         "|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", maxEscapedBars+1),
		"marks in a table row": "|a|\n|-|\n|" + strings.Repeat("![](", 5000) + "|\n",
	} {
		require.True(t, tooHeavy(document), name)
		read := readTopic(markdown("a.md", document), week{})
		require.True(t, read.broken, name)
	}
	for name, document := range map[string]string{
		"many links, each in its place": strings.Repeat("- [a](b) and `c`\n", 5000),
		"a long table":                  "|a|b|\n|-|-|\n" + strings.Repeat("|[a](b)|*c*|\n", 5000),
		"references in paragraphs":      strings.Repeat(strings.Repeat("[a]: b\n", 100)+"\n", 100),
		"code that is indented":         strings.Repeat("x\n\n"+strings.Repeat(" ", 200)+"y\n", 5000),
		"nothing":                       "",
		"a long dated list":             strings.Repeat("- 2026-11-24: done\n", 90_000),
	} {
		require.False(t, tooHeavy(document), name)
	}
}

// Lines that people draw, and numbers with many points, open no blocks.
func TestLongRulesNestNothing(t *testing.T) {
	for _, line := range []string{
		strings.Repeat("-", 80), strings.Repeat("*", 80), strings.Repeat("- ", 60), "  " + strings.Repeat("* ", 60),
		"> " + strings.Repeat("-", 80), strings.Repeat(".", 80), strings.Repeat("+", 80), strings.Repeat("1.", 60),
	} {
		require.False(t, tooHeavy("# A\n\n"+line+"\n"), line)
		require.Equal(t, "A", readTopic(markdown("a.md", "# A\n\nx\n\n"+line+"\n\n## B\n\ny\n"), week{}).title, line)
	}
}
