package text

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// reducedPage is what a parser gets to read of a page, so that its tree stays
// small: the tags, without the attributes that say nothing here, and for each
// text a single letter. The texts stay in the page, and their lines with them,
// of which the parser keeps none.
type reducedPage struct {
	ctx    context.Context //nolint:containedctx // a reducedPage lives within one call of readHTML
	page   string
	z      *html.Tokenizer
	bounds htmlBounds
	out    bytes.Buffer // read from the page, not yet by the parser
	err    error        // of reading the page, or io.EOF

	at     int    // bytes of the page that are read
	line   int    // on which the next token begins
	within string // the name of the start tag that comes right before the next token

	texts  []htmlText
	size   int              // bytes of all texts
	looks  []htmlLook       // that tags refer to, each once
	known  map[htmlLook]int // its place in looks
	hidden int              // pieces of text that are not seen
}

// htmlText is a piece of text of the page.
type htmlText struct {
	begin, end int
	line       int
	literal    bool // "&" stands for itself
}

// firstLetter stands for the first text; those after it follow. No page has them
// left when it comes to the parser.
const firstLetter = 0x10000

// lookMark is the attribute that refers to a look.
const lookMark = "s"

func newReducedPage(ctx context.Context, page string) *reducedPage {
	r := &reducedPage{ctx: ctx, page: page, line: 1, z: html.NewTokenizer(strings.NewReader(page)), known: map[htmlLook]int{}}
	r.z.SetMaxBuf(maxHTMLPiece)
	return r
}

// Read implements io.Reader for the parser.
func (r *reducedPage) Read(p []byte) (int, error) {
	for r.out.Len() < len(p) && r.err == nil {
		r.err = r.token()
	}
	if r.out.Len() == 0 {
		return 0, r.err
	}
	return r.out.Read(p)
}

// token reads one token.
func (r *reducedPage) token() error {
	kind := r.z.Next()
	begin, within := r.at, r.within
	r.at += len(r.z.Raw())
	raw := r.page[begin:r.at]
	r.within = ""
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	if err := r.bounds.token(); err != nil {
		return err
	}
	var err error
	switch kind {
	case html.ErrorToken:
		err = r.z.Err()
		if errors.Is(err, html.ErrBufferExceeded) {
			err = errors.New("a tag, comment or text of more than 8 MiB")
		}
	case html.TextToken:
		r.text(raw, begin, within)
	case html.CommentToken:
		r.countHidden(len(bytes.TrimSpace(r.z.Text())) > 0)
	case html.DoctypeToken:
		if len(raw) <= maxName*4 { // it says how tables and paragraphs nest
			r.out.WriteString(raw)
		}
	case html.EndTagToken:
		name, _ := r.z.TagName()
		tag := clipped(name)
		r.bounds.end(tag)
		r.out.WriteString("</" + tag + ">")
	case html.StartTagToken, html.SelfClosingTagToken:
		err = r.startTag(kind == html.SelfClosingTagToken)
	}
	r.line += strings.Count(raw, "\n")
	return err
}

// maxName is the length at which names of tags are cut; none of HTML is as long.
const maxName = 64

func clipped(name []byte) string { return string(name[:min(len(name), maxName)]) }

// text writes the letter of a text. Blanks stay blanks: between the rows of a
// table the parser keeps them in place, and moves everything else.
func (r *reducedPage) text(raw string, begin int, within string) {
	switch {
	case within == "script" || within == "style":
	case strings.Trim(raw, " \t\n\f\r") != "":
		r.out.WriteRune(firstLetter + rune(len(r.texts))) //nolint:gosec // fewer than maxNodes
		r.size += len(raw)
		r.texts = append(r.texts, htmlText{begin: begin, end: r.at, line: r.line, literal: within == "xmp" || within == "plaintext"})
	case strings.Contains(raw, "\n"):
		r.out.WriteByte('\n')
	default:
		r.out.WriteByte(' ')
	}
}

func (r *reducedPage) startTag(selfClosing bool) error {
	name, more := r.z.TagName()
	tag := htmlTag{name: clipped(name)}
	for n := 0; more; n++ {
		if n >= maxAttributes {
			return errors.New("a tag with more than 500 attributes")
		}
		var key, value []byte
		key, value, more = r.z.TagAttr()
		tag.attribute(key, value)
	}
	r.within = tag.name
	written := "<" + tag.name + tag.kept
	if look := tag.look(); look != (htmlLook{}) {
		written += " " + lookMark + "=" + strconv.Itoa(r.place(look))
	}
	r.bounds.start(tag.name, written)
	r.out.WriteString(written)
	if selfClosing {
		r.out.WriteString("/")
	}
	r.out.WriteString(">")
	return nil
}

// place returns where a look stands in looks.
func (r *reducedPage) place(look htmlLook) int {
	place, ok := r.known[look]
	if !ok {
		place = len(r.looks)
		r.bounds.nodes++ // a look takes as much as one
		r.known[look] = place
		r.looks = append(r.looks, look)
	}
	return place
}

// lookOf returns the look of an element.
func (r *reducedPage) lookOf(n *html.Node) htmlLook {
	for _, a := range n.Attr {
		if a.Key == lookMark {
			if place, err := strconv.Atoi(a.Val); err == nil && 0 <= place && place < len(r.looks) {
				return r.looks[place]
			}
		}
	}
	return htmlLook{}
}

func (r *reducedPage) countHidden(holdsText bool) {
	if holdsText {
		r.hidden++
	}
}
