package text

import "errors"

// htmlBounds stops pages that would become far more in the parser than they
// are. The standard makes it repeat every formatting element that is still
// open in every paragraph that follows, and its implementation compares
// attributes each with each; so a page of 4 MB can ask for days and for
// hundreds of gigabytes. Real pages stay two orders of magnitude below.
type htmlBounds struct {
	nodes    int             // tokens, and elements that the parser may repeat
	roots    int             // tags html and body, whose attributes are gathered
	unclosed map[string]int  // formatting tags that may be open, as written
	open     int             // sum of unclosed, no tag counted more than three times
	pending  []formattingTag // of them those with text alone after them so far
}

type formattingTag struct{ name, key string }

const (
	maxNodes      = 400_000 // about 100 MB
	maxAttributes = 500     // of one tag
	maxRoots      = 100
	sameTags      = 3 // the parser keeps no more equal ones open ("Noah's Ark clause")
)

// formatting elements are those that the parser repeats (HTML, 13.2.4.3).
var formatting = map[string]bool{
	"a": true, "b": true, "big": true, "code": true, "em": true, "font": true, "i": true, "nobr": true,
	"s": true, "small": true, "strike": true, "strong": true, "tt": true, "u": true,
}

// token counts one token, before the parser has it. What the one before it left
// open is repeated at most once for it.
func (h *htmlBounds) token() error {
	h.nodes += 1 + h.open
	if h.nodes > maxNodes {
		return errors.New("too many elements, or formatting that is never closed")
	}
	if h.roots > maxRoots {
		return errors.New("too many tags html and body")
	}
	return nil
}

// start counts a start tag, as it is written for the parser.
func (h *htmlBounds) start(name, written string) {
	switch {
	case name == "html" || name == "body":
		h.roots++
	case formatting[name]:
		tag := formattingTag{name, written}
		if name == "a" { // a link ends the one before it, whatever it says
			tag.key = name
		}
		h.count(tag.key, 1)
		h.pending = append(h.pending, tag)
		return
	}
	h.pending = h.pending[:0]
}

// end takes back a formatting tag when nothing but text and formatting stood
// in it. In all other cases the parser may keep it open.
func (h *htmlBounds) end(name string) {
	last := len(h.pending) - 1
	if last >= 0 && h.pending[last].name == name {
		h.count(h.pending[last].key, -1)
		h.pending = h.pending[:last]
		return
	}
	h.pending = h.pending[:0]
}

func (h *htmlBounds) count(key string, by int) {
	if h.unclosed == nil {
		h.unclosed = map[string]int{}
	}
	before := h.unclosed[key]
	h.unclosed[key] += by
	h.open += min(h.unclosed[key], sameTags) - min(before, sameTags)
}
