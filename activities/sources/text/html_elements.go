package text

import "golang.org/x/net/html/atom"

// silent elements hold no text for readers.
var silent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true,
	atom.Iframe: true, atom.Noembed: true, atom.Noframes: true, atom.Datalist: true,
}

// unread elements show text that is left out all the same: where it stands, or
// which of it is chosen, only a rendered page tells.
var unread = map[atom.Atom]bool{atom.Svg: true, atom.Math: true, atom.Select: true}

// substitute elements hold what is shown only where they cannot be.
var substitute = map[atom.Atom]bool{
	atom.Audio: true, atom.Video: true, atom.Canvas: true, atom.Object: true,
	atom.Meter: true, atom.Progress: true, atom.Rp: true,
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
	atom.Q: true, atom.Rt: true, atom.Ruby: true, atom.S: true,
	atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strike: true,
	atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true,
	atom.U: true, atom.Var: true, atom.Wbr: true,
}
