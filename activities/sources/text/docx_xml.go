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
	ctx     context.Context //nolint:containedctx // an xmlPart lives within one call of readDOCX
	d       *xml.Decoder
	depth   int
	root    string // the namespace of its root
	scope   compatScope
	left    *int // elements that may still be read, of all parts
	dropped *int // texts of vocabularies that are not understood, of all parts
}

func newXMLPart(ctx context.Context, r io.Reader, left, dropped *int) *xmlPart {
	return &xmlPart{ctx: ctx, d: xml.NewDecoder(&tagLimiter{r: r}), left: left, dropped: dropped}
}

// element is a start tag.
type element struct{ xml.StartElement }

// get returns an attribute of the element's own vocabulary, as all those of
// WordprocessingML are; "" when it is missing.
func (e element) get(name string) string {
	return e.attribute(xml.Name{Space: e.Name.Space, Local: name})
}

// plain returns an attribute of no namespace, "" when it is missing.
func (e element) plain(name string) string { return e.attribute(xml.Name{Local: name}) }

func (e element) attribute(name xml.Name) string {
	for _, a := range e.Attr {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// isWord reports whether the element is of WordprocessingML.
func (e element) isWord() bool { return e.Name.Space == wordSpace || e.Name.Space == wordStrictSpace }

// isMath reports whether it is of a formula.
func (e element) isMath() bool { return e.Name.Space == mathSpace || e.Name.Space == mathStrictSpace }

// isText reports whether it holds the letters of a run.
func (e element) isText() bool {
	return (e.isWord() || e.isMath()) && (e.Name.Local == "t" || e.Name.Local == "delText")
}

// on reports whether an on/off property is on: it is when it has no value.
func (e element) on() bool { return e.get("val") == "" || isOn(e.get("val")) }

// isOn reads an on/off value (ST_OnOff).
func isOn(value string) bool {
	return value != "" && value != "0" && value != "false" && value != "off"
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
			if p.depth == 1 {
				p.root = token.Name.Space
			}
			if err := p.scope.open(p.depth, token.Attr); err != nil {
				return nil, err
			}
			return element{token}, nil
		case xml.EndElement:
			p.scope.closed(p.depth)
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
	return p.raw(func(e element) error {
		if err := use(e); err != nil {
			return err
		}
		return p.each(use)
	}, nil)
}

// raw hands on the children of the element that was opened last, or the root of
// the part, whatever their vocabulary. child must read its element to the end.
func (p *xmlPart) raw(child func(element) error, text func(string)) error {
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

// words hands on those children that are of WordprocessingML, such as properties,
// and effects of letters, which are properties too.
func (p *xmlPart) words(child func(element) error) error {
	return p.children(func(e element) error {
		if !e.isWord() && !e.isEffect() {
			return p.skip()
		}
		return child(e)
	}, nil)
}

// skip reads to the end of the element that was opened last.
func (p *xmlPart) skip() error { return p.each(func(element) error { return nil }) }
