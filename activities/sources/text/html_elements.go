package text

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// silent elements hold no text for readers.
var silent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true,
	atom.Iframe: true, atom.Object: true, atom.Svg: true, atom.Math: true,
	atom.Noembed: true, atom.Noframes: true, atom.Select: true, atom.Datalist: true,
}

// headingLevel gives the elements that are headings. A page's title counts as
// one: it is what the page is called.
var headingLevel = map[atom.Atom]int{
	atom.Title: 1, atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.H4: 4, atom.H5: 5, atom.H6: 6,
}

// inline elements go on with the block they stand in; every other element,
// also an unknown one, is a block of its own.
var inline = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true,
	atom.Big: true, atom.Cite: true, atom.Code: true, atom.Data: true, atom.Del: true,
	atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Img: true,
	atom.Input: true, atom.Ins: true, atom.Kbd: true, atom.Label: true, atom.Mark: true,
	atom.Q: true, atom.Rp: true, atom.Rt: true, atom.Ruby: true, atom.S: true,
	atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strike: true,
	atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true,
	atom.U: true, atom.Var: true, atom.Wbr: true,
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
