package text

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// blockBreak parts two blocks of text that one line of a file holds.
const blockBreak = '\u2028'

// The parser keeps no line numbers, so each piece of text carries its own:
// between two noncharacters, which no document may hold.
const lineOpen, lineClose = '\uFDD0', '\uFDD1'

var noncharacters = strings.NewReplacer(string(lineOpen), "", string(lineClose), "")

// htmlText returns the readable text of a page, how many hidden pieces of text
// it held, and the problem when it cannot be read.
func htmlText(ctx context.Context, page string) (text string, hidden int, problem string) {
	numbered, err := numberLines(ctx, page)
	if err != nil {
		return "", 0, "HTML that cannot be read: " + err.Error()
	}
	root, err := html.Parse(strings.NewReader(numbered))
	if err != nil {
		return "", 0, "HTML that cannot be read: elements nested deeper than 512"
	}
	w := htmlWriter{lines: map[int][]string{}, last: strings.Count(page, "\n") + 1}
	w.node(root)
	w.flush()
	if w.size > MaxBytes {
		return "", 0, tooMuch + " of text"
	}
	return w.text(), w.hidden, ""
}

// numberLines puts its line number before each piece of text.
func numberLines(ctx context.Context, page string) (string, error) {
	var b strings.Builder
	var bounds htmlBounds
	line := 1
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		raw := string(z.Raw())
		if kind == html.ErrorToken {
			if errors.Is(z.Err(), io.EOF) {
				return b.String(), nil
			}
			return "", z.Err()
		}
		if ctx.Err() != nil {
			return "", errors.New(stopped)
		}
		if err := bounds.token(kind, z, raw); err != nil {
			return "", err
		}
		if kind == html.TextToken {
			numberText(&b, raw, line)
		} else {
			b.WriteString(raw)
		}
		line += strings.Count(raw, "\n")
	}
}

// numberText writes a piece of text that begins on the given line. Blank text
// has no number: between the rows of a table the parser takes blanks away, and
// moves everything else.
func numberText(b *strings.Builder, raw string, line int) {
	for i, piece := range strings.Split(raw, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if strings.Trim(piece, " \t\f") != "" {
			plain := noncharacters.Replace(html.UnescapeString(piece))
			b.WriteString(string(lineOpen) + strconv.Itoa(line+i) + string(lineClose))
			b.WriteString(html.EscapeString(plain))
		}
	}
}

// htmlWriter gathers text block by block and puts each on its line.
type htmlWriter struct {
	lines  map[int][]string // the blocks that begin on a line
	last   int              // number of the last line
	size   int              // bytes of all blocks
	hidden int

	prefix string // of the block to come
	block  strings.Builder
	line   int // of the block's first text; 0 while it has none
	lists  int // depth of nested lists
	rows   int // depth of nested table rows
	pre    int // depth of elements that keep their line breaks
}

// node writes n and what is in it.
func (w *htmlWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.add(n.Data)
		return
	case html.CommentNode:
		w.countHidden(n.Data)
		return
	case html.ElementNode:
		if silent[n.DataAtom] {
			return
		}
		if isHidden(n) {
			w.countHidden(allText(n))
			return
		}
	}
	w.element(n)
}

// element gives an element's content the form it has for a reader.
func (w *htmlWriter) element(n *html.Node) {
	switch {
	case n.DataAtom == atom.Tr:
		w.row(n)
	case w.rows > 0: // a row is one line, whatever its cells hold
		w.add(" ")
		w.children(n)
		w.add(" ")
	case headingLevel[n.DataAtom] > 0:
		w.marked(strings.Repeat("#", headingLevel[n.DataAtom])+" ", n)
	case n.DataAtom == atom.Li:
		w.marked(strings.Repeat("  ", max(w.lists-1, 0))+"- "+checkbox(n), n)
	case n.DataAtom == atom.Ul, n.DataAtom == atom.Ol:
		w.lists++
		w.marked("", n)
		w.lists--
	case n.DataAtom == atom.Pre, n.DataAtom == atom.Textarea:
		w.pre++
		w.marked("", n)
		w.pre--
	case inline[n.DataAtom]:
		w.children(n)
	case n.DataAtom == atom.Br:
		w.flush()
	default:
		w.marked("", n)
	}
}

func (w *htmlWriter) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
}

// marked writes n as a block of its own. A block that only wraps another, as
// a paragraph in a list item does, leaves the mark to the inner one.
func (w *htmlWriter) marked(prefix string, n *html.Node) {
	w.flush()
	if prefix != "" {
		w.prefix = prefix
	}
	w.children(n)
	w.flush()
	if prefix != "" {
		w.prefix = ""
	}
}

// row writes a table row as one line.
func (w *htmlWriter) row(n *html.Node) {
	if w.rows > 0 {
		w.children(n)
		return
	}
	w.flush()
	w.rows++
	var cells []string
	line, heads := 0, 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		w.node(c)
		if line == 0 {
			line = w.line
		}
		cells = append(cells, strings.ReplaceAll(w.take(), "|", `\|`))
		if c.DataAtom == atom.Th {
			heads++
		}
	}
	w.rows--
	if line == 0 {
		return
	}
	w.put(line, "| "+strings.Join(cells, " | ")+" |")
	if heads == len(cells) {
		w.put(line, "|"+strings.Repeat(" --- |", heads))
	}
}

// add adds the pieces of a text node to the block.
func (w *htmlWriter) add(data string) {
	for i, part := range strings.Split(data, string(lineOpen)) {
		number, piece, numbered := strings.Cut(part, string(lineClose))
		if !numbered {
			piece = part
		} else if n, err := strconv.Atoi(number); err == nil && i > 0 && w.line == 0 && 0 < n && n <= w.last {
			w.line = n
		}
		if w.pre == 0 || w.rows > 0 {
			w.block.WriteString(piece)
			continue
		}
		for j, line := range strings.Split(piece, "\n") {
			if j > 0 {
				w.flush()
			}
			w.block.WriteString(line)
		}
	}
}

// flush puts the block on its line and begins the next.
func (w *htmlWriter) flush() {
	line := w.line
	if text := w.take(); text != "" && line > 0 {
		w.put(line, w.prefix+text)
		w.prefix = ""
	}
}

// take returns the block's text, blanks collapsed, and begins the next.
func (w *htmlWriter) take() string {
	text := strings.Join(strings.Fields(w.block.String()), " ")
	w.block.Reset()
	w.line = 0
	return text
}

// put puts a block on its line; nested lists may make it much longer than what
// it was in the file.
func (w *htmlWriter) put(line int, text string) {
	if w.size += len(text) + len(string(blockBreak)); w.size <= MaxBytes {
		w.lines[line] = append(w.lines[line], text)
	}
}

func (w *htmlWriter) text() string {
	var b strings.Builder
	b.Grow(w.size + w.last)
	for line := 1; line <= w.last; line++ {
		if line > 1 {
			b.WriteByte('\n')
		}
		for i, block := range w.lines[line] {
			if i > 0 {
				b.WriteRune(blockBreak)
			}
			b.WriteString(block)
		}
	}
	return b.String()
}

func (w *htmlWriter) countHidden(text string) {
	if strings.TrimSpace(text) != "" {
		w.hidden++
	}
}
