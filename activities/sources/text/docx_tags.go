package text

import (
	"errors"
	"io"
	"strings"
)

// maxTag bounds one tag. The root of a Word document, with all its namespaces,
// has about 4 kB; the decoder makes a string and forty bytes more of every
// attribute, and of a part made of attributes ten times its size.
const maxTag = 64 << 10

var (
	errTagTooLong   = errors.New("it has a tag longer than 64 kB")
	errTextTooLong  = errors.New("it has a text longer than 1 MiB between two tags")
	errDocumentType = errors.New("it has a document type declaration")
)

// maxXMLText bounds the text between two tags, a comment and an instruction, of
// which the decoder makes several copies. Word breaks texts up long before.
const maxXMLText = 1 << 20

// tagLimiter passes XML on while its tags and texts are short and it has no
// declarations.
type tagLimiter struct {
	r     io.Reader
	state tagState
	quote byte   // that ends the attribute's value
	until string // that ends a comment, a CDATA section or an instruction
	seen  []byte // of a declaration's beginning, or of what ends it
	n     int    // bytes of the tag, or of the text
}

type tagState int

const (
	outside  tagState = iota
	opened            // after "<"
	declared          // after "<!"
	inTag
	inValue
	inOther // up to until
)

func (t *tagLimiter) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	for _, c := range p[:n] {
		if err := t.next(c); err != nil {
			return 0, err
		}
	}
	return n, err
}

func (t *tagLimiter) next(c byte) error {
	switch t.state {
	case outside:
		if c == '<' {
			t.state, t.n = opened, 0
			return nil
		}
		return t.more(maxXMLText, errTextTooLong)
	case opened:
		t.open(c)
	case declared:
		return t.declare(c)
	case inTag:
		switch c {
		case '>':
			t.state = outside
		case '"', '\'':
			t.state, t.quote = inValue, c
		}
	case inValue:
		if c == t.quote {
			t.state = inTag
		}
	case inOther:
		t.seen = append(t.seen, c)
		t.seen = t.seen[max(0, len(t.seen)-len(t.until)):]
		if string(t.seen) == t.until {
			t.state, t.seen = outside, t.seen[:0]
		}
		return t.more(maxXMLText, errTextTooLong)
	}
	if t.state == outside {
		t.n = 0
	}
	return t.more(maxTag, errTagTooLong)
}

// more counts one byte of a tag or text.
func (t *tagLimiter) more(most int, tooLong error) error {
	if t.n++; t.n > most {
		return tooLong
	}
	return nil
}

func (t *tagLimiter) open(c byte) {
	t.seen = t.seen[:0]
	switch c {
	case '!':
		t.state = declared
	case '?':
		t.state, t.until = inOther, "?>"
	case '>':
		t.state = outside
	default:
		t.state = inTag
	}
}

// declare tells comments and CDATA sections from declarations.
func (t *tagLimiter) declare(c byte) error {
	t.seen = append(t.seen, c)
	for begin, end := range map[string]string{"--": "-->", "[CDATA[": "]]>"} {
		if begin == string(t.seen) {
			t.state, t.until, t.seen = inOther, end, t.seen[:0]
			return nil
		}
		if strings.HasPrefix(begin, string(t.seen)) {
			return nil
		}
	}
	return errDocumentType
}
