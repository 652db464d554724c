package outline

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	decoding "github.com/holdpoint/holdpoint/activities/sources/text"
)

// readMarkdown returns the blocks of a Markdown document (CommonMark with
// GitHub's tables, task lists and strikethrough). Code is left out: a date in
// a sample of code is not news. So are comments, which no reader sees.
func readMarkdown(document string) ([]block, frontMatter, error) {
	front, body := cutFrontMatter(document)
	if tooHeavy(body) {
		return nil, front, errTooHeavy
	}
	source := []byte(body)
	parser := goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList, extension.Strikethrough)).Parser()
	r := markdownReader{source: source, lines: indexLines(body)}
	r.children(parser.Parse(text.NewReader(source)), place{})
	return r.blocks, front, nil
}

type markdownReader struct {
	source []byte
	lines  lineIndex
	blocks []block
}

// place is where in lists a block stands.
type place struct {
	lists int  // how many lists it is in
	first bool // the first block of a list item
}

func (r *markdownReader) children(parent ast.Node, at place) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		r.block(n, at)
		at.first = false
	}
}

func (r *markdownReader) block(n ast.Node, at place) {
	switch n := n.(type) {
	case *ast.Heading:
		r.add(n, block{kind: heading, level: n.Level})
	case *ast.Paragraph, *ast.TextBlock:
		b := block{kind: paragraph, strong: isStrong(n)}
		if at.lists > 0 {
			b = block{kind: item, level: at.lists - 1, task: taskOf(n)}
			if !at.first {
				b.level++ // what else an item holds goes into detail
			}
		}
		r.add(n, b)
	case *ast.List:
		r.children(n, place{lists: at.lists + 1})
	case *ast.ListItem:
		r.children(n, place{lists: at.lists, first: true})
	case *tables.Table:
		r.table(n)
	case *ast.HTMLBlock:
		r.html(n)
	case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.ThematicBreak:
	default:
		r.children(n, at)
	}
}

// add finishes a block with its text and lines. A line of a paragraph that
// begins with a date begins a block, as its writer meant it to: Markdown would
// run a log with a day on each line together.
func (r *markdownReader) add(n ast.Node, b block) {
	segments := n.Lines()
	if segments.Len() == 0 {
		return
	}
	text := r.inline(n)
	b.first = r.lines.at(segments.At(0).Start)
	b.last = r.lines.at(max(segments.At(segments.Len()-1).Stop-1, segments.At(0).Start))
	lines := strings.Split(text, "\n")
	if b.kind == heading || len(lines) != b.last-b.first+1 {
		lines = []string{text}
	}
	start := 0
	for i := 1; i <= len(lines); i++ {
		if i < len(lines) && !beginsWithDate(oneLine(lines[i])) {
			continue
		}
		part := b
		part.text = oneLine(strings.Join(lines[start:i], " "))
		part.first = b.first + start
		if i < len(lines) {
			part.last = b.first + i - 1
		}
		if part.text != "" {
			r.blocks = append(r.blocks, part)
		}
		start = i
	}
}

func (r *markdownReader) table(t ast.Node) {
	var header []string
	for n := t.FirstChild(); n != nil; n = n.NextSibling() {
		var cells []string
		line := 0
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, oneLine(r.inline(c)))
			if c.Lines().Len() > 0 && line == 0 {
				line = r.lines.at(c.Lines().At(0).Start)
			}
		}
		if n.Kind() == tables.KindTableHeader {
			header = cells
		} else if line > 0 && strings.Join(cells, "") != "" {
			r.blocks = append(r.blocks, block{kind: row, first: line, last: line, header: header, cells: cells})
		}
	}
}

// html reads a piece of HTML in a document as HTML is read elsewhere.
func (r *markdownReader) html(n *ast.HTMLBlock) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	before := r.lines.at(lines.At(0).Start) - 1
	page := slices.Clone(lines.Value(r.source))
	if n.HasClosure() {
		page = append(page, n.ClosureLine.Value(r.source)...)
	}
	blocks := readLines(decoding.HTML(string(page)).Text)
	end := strings.Count(strings.TrimSuffix(string(page), "\n"), "\n") + 1
	for i := len(blocks) - 1; i >= 0; i-- { // each reaches to where the next begins
		blocks[i].last = max(end, blocks[i].first)
		end = blocks[i].first - 1
	}
	for _, b := range blocks {
		b.first += before
		b.last += before
		r.blocks = append(r.blocks, b)
	}
}

// inline returns the text of a block as a reader sees it, line by line.
func (r *markdownReader) inline(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			value := n.Value(r.source)
			if n.Parent().Kind() != ast.KindCodeSpan && !n.IsRaw() {
				value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
			}
			b.Write(value)
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte('\n')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(r.source))
		case *ast.Image:
			return ast.WalkSkipChildren, nil
		case *ast.RawHTML:
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func isStrong(n ast.Node) bool {
	e, ok := n.FirstChild().(*ast.Emphasis)
	return ok && e.Level == 2 && e.NextSibling() == nil
}

func taskOf(n ast.Node) task {
	box, ok := n.FirstChild().(*tables.TaskCheckBox)
	switch {
	case !ok:
		return noTask
	case box.IsChecked:
		return doneTask
	default:
		return openTask
	}
}
