package text

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
)

// maxXMLDepth bounds nesting. Word itself nests some twenty elements in a
// paragraph, and a table in a table some ten more.
const maxXMLDepth = 256

// xmlPart reads the elements of one part. It knows no entities but XML's own
// five and refuses document types, so that nothing in a part can multiply.
type xmlPart struct {
	ctx   context.Context //nolint:containedctx // an xmlPart lives within one call of readDOCX
	d     *xml.Decoder
	depth int
	left  *int // elements that may still be read, of all parts
}

func newXMLPart(ctx context.Context, r io.Reader, left *int) *xmlPart {
	return &xmlPart{ctx: ctx, d: xml.NewDecoder(&tagLimiter{r: r}), left: left}
}

// element is a start tag.
type element struct{ xml.StartElement }

// get returns an attribute by its local name, which is "" when it is missing.
func (e element) get(name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// isWord reports whether the element is of WordprocessingML, transitional or
// strict (ECMA-376 part 1, annex A).
func (e element) isWord() bool {
	return e.Name.Space == "http://schemas.openxmlformats.org/wordprocessingml/2006/main" ||
		e.Name.Space == "http://purl.oclc.org/ooxml/wordprocessingml/main"
}

// on reports whether an on/off property is on: it is when it has no value.
func (e element) on() bool {
	switch e.get("val") {
	case "0", "false", "off":
		return false
	}
	return true
}

// token returns the next start tag, end tag or text; io.EOF at the end.
func (p *xmlPart) token() (xml.Token, error) {
	for {
		if p.ctx.Err() != nil {
			return nil, p.ctx.Err()
		}
		token, err := p.d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case errors.Is(err, errTagTooLong), errors.Is(err, errTextTooLong), errors.Is(err, errDocumentType):
			return nil, err
		case err != nil:
			return nil, errors.New("its XML is damaged")
		}
		switch token := token.(type) {
		case xml.StartElement:
			if p.depth++; p.depth > maxXMLDepth {
				return nil, errors.New("its elements are nested deeper than 256")
			}
			if *p.left--; *p.left < 0 {
				return nil, errors.New("it has more than 500,000 elements")
			}
			return element{token}, nil
		case xml.EndElement:
			p.depth--
			return token, nil
		case xml.CharData:
			return token, nil
		case xml.Directive:
			return nil, errDocumentType
		}
	}
}

// each hands on every start tag up to the end of the element that was opened
// last, or to the end of the part.
func (p *xmlPart) each(use func(element) error) error {
	return p.children(func(e element) error {
		if err := use(e); err != nil {
			return err
		}
		return p.each(use)
	}, nil)
}

// children hands on the children of the element that was opened last, or the
// root of the part. child must read its element to the end.
func (p *xmlPart) children(child func(element) error, text func(string)) error {
	for {
		token, err := p.token()
		if errors.Is(err, io.EOF) && p.depth == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case element:
			if err := child(token); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		case xml.CharData:
			if text != nil {
				text(string(token))
			}
		}
	}
}

// skip reads to the end of the element that was opened last.
func (p *xmlPart) skip() error { return p.each(func(element) error { return nil }) }
