package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxIndent is how deep lists are indented.
const maxIndent = 16

// htmlWriter gathers text block by block and puts each on its line.
type htmlWriter struct {
	*reducedPage

	lines htmlLines

	prefix string // of the block to come
	block  strings.Builder
	gap    bool // a blank comes before what is added next
	from   int  // line of the block's first text; 0 while it has none
	lists  int  // depth of nested lists
	rows   int  // depth of nested table rows
	pre    int  // depth of elements that keep their line breaks

	unseen, inkless bool    // what is in this element, unless it says otherwise
	font            float64 // its size, in pixels
	counted         bool    // the element that hides has been counted
}

// node writes n and what is in it.
func (w *htmlWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.add(n.Data)
	case html.ElementNode:
		look := w.lookOf(n)
		switch {
		case silent[n.DataAtom]:
		case look.gone, substitute[n.DataAtom], unread[n.DataAtom]:
			w.countHidden(holdsText(n))
		default:
			w.looking(look, n)
		}
	default:
		w.children(n)
	}
}

// looking writes an element that has a look, which what is in it takes over.
func (w *htmlWriter) looking(look htmlLook, n *html.Node) {
	unseen, inkless, font, hid := w.unseen, w.inkless, w.font, w.hides()
	w.unseen = look.visible == no || unseen && look.visible == unsaid
	w.inkless = look.ink == no || inkless && look.ink == unsaid
	w.font = look.size.within(font)
	if !hid {
		w.counted = false
	}
	w.element(n)
	w.unseen, w.inkless, w.font = unseen, inkless, font
}

func (w *htmlWriter) hides() bool { return w.unseen || w.inkless || w.font < leastFont }

// element gives an element's content the form it has for a reader.
func (w *htmlWriter) element(n *html.Node) {
	switch {
	case n.DataAtom == atom.Tr:
		w.row(n)
	case inline[n.DataAtom]:
		w.children(n)
	case w.rows > 0: // a row is one line, whatever its cells hold
		w.gap = true
		w.children(n)
		w.gap = true
	case headingLevel[n.DataAtom] > 0:
		w.marked(strings.Repeat("#", headingLevel[n.DataAtom])+" ", n)
	case n.DataAtom == atom.Li:
		w.marked(strings.Repeat("  ", min(max(w.lists-1, 0), maxIndent))+"- "+checkbox(n), n)
	case n.DataAtom == atom.Ul, n.DataAtom == atom.Ol:
		w.lists++
		w.marked("", n)
		w.lists--
	case n.DataAtom == atom.Pre, n.DataAtom == atom.Textarea, n.DataAtom == atom.Listing, n.DataAtom == atom.Xmp, n.DataAtom == atom.Plaintext:
		w.pre++
		w.marked("", n)
		w.pre--
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
			line = w.from
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
	w.lines.put(line, "| ", strings.Join(cells, " | "), " |")
	if heads == len(cells) {
		w.lines.put(line, "|", strings.Repeat(" --- |", heads))
	}
}

// add adds a text node: letters, and the blanks between them.
func (w *htmlWriter) add(data string) {
	for _, r := range data {
		place := int(r) - firstLetter
		switch {
		case place < 0:
			w.space(r == '\n')
		case place >= len(w.texts):
		case w.hides():
			w.countHidden(!w.counted)
			w.counted = true
		default:
			w.piece(w.texts[place])
		}
	}
}

func (w *htmlWriter) space(isLineEnd bool) {
	if isLineEnd && w.pre > 0 && w.rows == 0 {
		w.flush()
		return
	}
	w.gap = true
}

// piece adds a text, whose references to characters are read line by line, so
// that none of them makes a line.
func (w *htmlWriter) piece(t htmlText) {
	number := t.line
	for line := range strings.SplitSeq(w.page[t.begin:t.end], "\n") {
		if number > t.line {
			w.space(true)
		}
		if !t.literal {
			line = html.UnescapeString(line)
		}
		w.words(line, number)
		number++
	}
}

// words adds a line of text, its blanks collapsed.
func (w *htmlWriter) words(line string, number int) {
	for begin := 0; begin < len(line); {
		end := len(line)
		if i := strings.IndexFunc(line[begin:], unicode.IsSpace); i >= 0 {
			end = begin + i
		}
		if end > begin {
			if w.from == 0 {
				w.from = number
			} else if w.gap {
				w.block.WriteByte(' ')
			}
			w.block.WriteString(line[begin:end])
			w.gap = false
		}
		if end < len(line) {
			w.gap = true
			_, size := utf8.DecodeRuneInString(line[end:])
			end += size
		}
		begin = end
	}
}

// flush puts the block on its line and begins the next.
func (w *htmlWriter) flush() {
	line := w.from
	if text := w.take(); text != "" {
		w.lines.put(line, w.prefix, text)
		w.prefix = ""
	}
}

// take returns the block's text and begins the next.
func (w *htmlWriter) take() string {
	text := w.block.String()
	w.block.Reset()
	w.from, w.gap = 0, false
	return text
}

// holdsText reports whether there is text in n.
func holdsText(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Type == html.TextNode && isText(d.Data) {
			return true
		}
	}
	return false
}

// isText reports whether the data of a text node has a letter in it.
func isText(data string) bool {
	return strings.ContainsFunc(data, func(r rune) bool { return r >= firstLetter })
}

// checkbox returns the Markdown mark of a list item that begins with one.
func checkbox(li *html.Node) string {
	for n := range li.Descendants() {
		switch {
		case n.Type == html.TextNode && isText(n.Data), n.DataAtom == atom.Li:
			return ""
		case n.DataAtom == atom.Input && strings.EqualFold(attribute(n, "type"), "checkbox"):
			if hasAttribute(n, "checked") {
				return "[x] "
			}
			return "[ ] "
		}
	}
	return ""
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}
