package outline

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// The parser of Markdown takes time that grows with the square of some things,
// and memory that is hundreds of times a short line's, and cannot be interrupted.
// What is beyond these bounds, which no document written by people comes near, is
// read as plain text; within them a document of 4 MiB takes about a second.
const (
	maxNesting     = 50          // quotes and lists opened by one line
	maxDepthWork   = 200_000_000 // what the lines cost in the blocks that are open, see blockCost
	maxReferences  = 1_000       // link references in one paragraph
	maxEscapedBars = 5_000       // in tables' code: each is sought in all cells
	maxInlineMarks = 100_000_000 // squares of the numbers of marks in each block, summed
	maxNodes       = 400_000     // of some 500 bytes each, see nodes
)

// tooHeavy reports whether a document would keep the parser busy for long.
func tooHeavy(document string) bool {
	return nodes(document) > maxNodes || strings.Count(document, `\|`) > maxEscapedBars || heavyBlocks(document) || heavyInlines(document)
}

// nodes is about how many nodes the parser makes: three for each line that is
// not empty, one for each quote or item that it opens and each mark in it, two
// for each cell of a table.
func nodes(document string) int {
	blocks := 0
	for line := range strings.SplitSeq(document, "\n") {
		if strings.Trim(line, " \t") != "" {
			count, _ := opened(line)
			blocks += 3 + count
		}
	}
	return blocks + marks(document) + 2*tableCells(document)
}

// blockCost is what it costs to ask an open block whether a line goes on with
// it, in the bytes of indentation that are looked at in that time: each block
// looks at those anew.
const blockCost = 20

func heavyBlocks(document string) bool {
	work, deepest, references := 0, 0, 0
	for line := range strings.SplitSeq(document, "\n") {
		markers, depth := nesting(line)
		if markers > 0 {
			deepest = max(deepest, depth)
		}
		if references++; !strings.HasPrefix(strings.TrimLeft(line, " >"), "[") {
			references = 0
		}
		work += deepest * (blockCost + len(line) - len(strings.TrimLeft(line, " \t")))
		if markers > maxNesting || references > maxReferences || work > maxDepthWork {
			return true
		}
	}
	return false
}

// nesting is how many quotes and items a line opens, and how deep in lists its
// indentation can be besides. A line of dashes or stars opens nothing: it is a
// rule (CommonMark 0.31, section 4.1).
func nesting(line string) (markers, depth int) {
	if isRule(line) {
		return 0, 0
	}
	markers, rest := opened(line)
	blanks := 0
	for _, c := range line[:len(line)-len(rest)] {
		switch c {
		case ' ':
			blanks++
		case '\t':
			blanks += 4
		}
	}
	return markers, markers + blanks/2
}

func isRule(line string) bool {
	for _, mark := range []string{"-", "*"} {
		if strings.Count(line, mark) >= 3 && strings.Trim(line, mark+" \t") == "" {
			return true
		}
	}
	return false
}

// opened is how many quotes and items a line can open, and what they hold of it.
func opened(line string) (count int, rest string) {
	for {
		line = strings.TrimLeft(line, " \t")
		number := strings.TrimLeft(line, "0123456789")
		switch {
		case strings.HasPrefix(line, ">"):
			line = line[1:]
		case len(number) < len(line) && beginsMarker(number, ".)"):
			line = number[1:]
		case beginsMarker(line, "-+*"):
			line = line[1:]
		default:
			return count, line
		}
		count++
	}
}

// beginsMarker reports whether a text begins with one of these marks and ends
// there, or goes on with a blank.
func beginsMarker(text, marks string) bool {
	return text != "" && strings.IndexByte(marks, text[0]) >= 0 && (len(text) == 1 || text[1] == ' ' || text[1] == '\t')
}

// heavyInlines weighs the marks of emphasis, links, code and HTML. Only marks
// in one block meet, so a document with many is parsed for its blocks first.
func heavyInlines(document string) bool {
	if square(marks(document)) <= maxInlineMarks {
		return false
	}
	blocks := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
	)
	source := []byte(document)
	weight := 0
	_ = ast.Walk(blocks.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Type() == ast.TypeBlock && !n.IsRaw() {
			weight += square(marks(string(n.Lines().Value(source))))
		}
		return ast.WalkContinue, nil
	})
	return weight > maxInlineMarks
}

func marks(s string) int {
	n := 0
	for i := range len(s) {
		if strings.IndexByte("[]!*_`<~&\\", s[i]) >= 0 {
			n++
		}
	}
	return n
}

func square(n int) int { return n * n }
