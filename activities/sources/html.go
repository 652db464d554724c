package sources

import (
	"errors"
	"io"
	"regexp"
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
// it held, and the problem when it cannot be parsed.
func htmlText(page string) (text string, hidden int, problem string) {
	numbered, err := numberLines(page)
	if err != nil {
		return "", 0, "HTML that cannot be read: " + err.Error()
	}
	root, err := html.Parse(strings.NewReader(numbered))
	if err != nil {
		return "", 0, "HTML that cannot be read: elements nested deeper than 512"
	}
	w := htmlWriter{lines: make([][]string, strings.Count(page, "\n")+1)}
	w.node(root)
	w.flush()
	lines := make([]string, len(w.lines))
	for i, blocks := range w.lines {
		lines[i] = strings.Join(blocks, string(blockBreak))
	}
	return strings.Join(lines, "\n"), w.hidden, ""
}

// numberLines puts its line number before each piece of text.
func numberLines(page string) (string, error) {
	var b strings.Builder
	line := 1
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		raw := string(z.Raw())
		switch kind {
		case html.ErrorToken:
			if errors.Is(z.Err(), io.EOF) {
				return b.String(), nil
			}
			return "", z.Err()
		case html.TextToken:
			for i, piece := range strings.Split(raw, "\n") {
				if i > 0 {
					b.WriteByte('\n')
				}
				// Blank text has no number: between the rows of a table the
				// parser takes blanks away, and moves everything else.
				if strings.Trim(piece, " \t\f") != "" {
					plain := noncharacters.Replace(html.UnescapeString(piece))
					b.WriteString(string(lineOpen) + strconv.Itoa(line+i) + string(lineClose))
					b.WriteString(html.EscapeString(plain))
				}
			}
		default:
			b.WriteString(raw)
		}
		line += strings.Count(raw, "\n")
	}
}

// htmlWriter gathers text block by block and puts each on its line.
type htmlWriter struct {
	lines  [][]string // the blocks that begin on each line
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
		w.text(n.Data)
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
		w.text(" ")
		w.children(n)
		w.text(" ")
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

// text adds the pieces of a text node to the block.
func (w *htmlWriter) text(data string) {
	for i, part := range strings.Split(data, string(lineOpen)) {
		number, piece, numbered := strings.Cut(part, string(lineClose))
		if !numbered {
			piece = part
		} else if n, err := strconv.Atoi(number); err == nil && i > 0 && w.line == 0 && 0 < n && n <= len(w.lines) {
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

func (w *htmlWriter) put(line int, text string) {
	w.lines[line-1] = append(w.lines[line-1], text)
}

func (w *htmlWriter) countHidden(text string) {
	if strings.TrimSpace(text) != "" {
		w.hidden++
	}
}

func allText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

var hidingStyle = regexp.MustCompile(
	`(?i)(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|(opacity|font-size)\s*:\s*0*(\.0*)?(px|pt|em|rem|%)?\s*(;|!|$))`)

func isHidden(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "style" && hidingStyle.MatchString(a.Val) {
			return true
		}
	}
	return false
}

// checkbox returns the Markdown mark of a list item that begins with one.
func checkbox(li *html.Node) string {
	for n := range li.Descendants() {
		switch {
		case n.Type == html.TextNode && strings.TrimSpace(n.Data) != "", n.DataAtom == atom.Li:
			return ""
		case n.DataAtom == atom.Input && attribute(n, "type") == "checkbox":
			for _, a := range n.Attr {
				if a.Key == "checked" {
					return "[x] "
				}
			}
			return "[ ] "
		}
	}
	return ""
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return strings.ToLower(a.Val)
		}
	}
	return ""
}
