package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// ErrMalformed says that a document is not one that this package accepts: no
// strict JSON, no plan, or a plan that does not hold together. Reading the
// same bytes again cannot help.
var ErrMalformed = errors.New("malformed")

// MaxDepth bounds the nesting of a document: the outermost array or object is
// level 1.
const MaxDepth = 100

// MaxValues bounds the values of a document: every text, number, literal, array
// and object is one. It is 250 for each action of the largest plan. What reads
// a document keeps some hundred bytes for each, a hundred times what it has in
// "[1,1,…]".
const MaxValues = 250_000

// Canonicalize returns the RFC 8785 form of one JSON document: no blanks,
// members ordered by the UTF-16 units of their names, one spelling for every
// text and number. Two spellings of one document have one canonical form, and
// the canonical form of a canonical form is itself.
//
// What that form cannot carry without loss or doubt is refused first, after
// I-JSON (RFC 7493), because two readers of such a document may see two
// different things:
//
//   - bytes that are no UTF-8, and \u escapes of a lone surrogate;
//   - two members of one name in one object, however their names are escaped;
//   - numbers that a float64 does not carry, see checkNumber;
//   - anything before or after the one value, and nesting beyond MaxDepth.
//
// More than MaxValues are refused too, before any is kept; CanonicalizeUpTo is for
// documents that are no plan.
//
// Letters are never composed or decomposed: "é" as one code point and as two
// are different texts. Every error wraps ErrMalformed and names the member (as
// a JSON Pointer, RFC 6901) and the offset in bytes.
func Canonicalize(raw []byte) ([]byte, error) { return CanonicalizeUpTo(raw, MaxValues) }

// CanonicalizeUpTo is Canonicalize with a bound of the caller's on the number of
// values.
func CanonicalizeUpTo(raw []byte, values int) ([]byte, error) {
	if err := checkStrict(raw, values); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return canonical, nil
}

// Fingerprint returns the digest of an action's parameters: of their canonical
// form, so that it does not depend on how they were written.
func Fingerprint(parameters json.RawMessage) (Digest, error) {
	canonical, err := Canonicalize(parameters)
	if err != nil {
		return Digest{}, fmt.Errorf("parameters: %w", err)
	}
	return Sum(canonical), nil
}

// checkStrict refuses what Canonicalize says that it refuses.
func checkStrict(raw []byte, values int) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return errors.New("there is no JSON: the input is empty")
	}
	if i := invalidUTF8(raw); i >= 0 {
		return fmt.Errorf("no UTF-8 at byte %d", i)
	}
	// The whole syntax first: the tokens below are read from JSON that is
	// known to be well-formed, and followed by nothing.
	if !json.Valid(raw) {
		return syntaxError(raw)
	}
	w := walker{raw: raw, tokens: json.NewDecoder(bytes.NewReader(raw)), values: values, most: values}
	w.tokens.UseNumber()
	return w.value()
}

// syntaxError says what json.Valid does not: where.
func syntaxError(raw []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(raw, &whole)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("no JSON: %w at byte %d", err, syntax.Offset)
	}
	return fmt.Errorf("no JSON: %w", err)
}

// invalidUTF8 returns the offset of the first byte that is no UTF-8, or -1.
func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// walker reads well-formed JSON once and refuses what Go's decoder would
// silently repair: duplicates, lone surrogates, numbers out of range.
type walker struct {
	raw    []byte
	tokens *json.Decoder
	path   []string // the names and indexes that lead to the value being read
	depth  int
	values int // that may still begin
	most   int
}

// value reads one value and all that is in it.
func (w *walker) value() error {
	if w.values--; w.values < 0 {
		return w.fail(fmt.Sprintf("more than %d values", w.most))
	}
	start := w.tokens.InputOffset()
	token, err := w.tokens.Token()
	if err != nil {
		return w.fail(err.Error())
	}
	switch t := token.(type) {
	case json.Delim:
		return w.nested(t)
	case string:
		return w.checkEscapes(start)
	case json.Number:
		if err := checkNumber(t.String()); err != nil {
			return w.fail(err.Error())
		}
	}
	return nil
}

// nested reads the rest of an object or array.
func (w *walker) nested(open json.Delim) error {
	w.depth++
	if w.depth > MaxDepth {
		return w.fail(fmt.Sprintf("more than %d levels of nesting", MaxDepth))
	}
	var err error
	if open == '{' {
		err = w.members()
	} else {
		err = w.elements()
	}
	if err != nil {
		return err
	}
	w.depth--
	_, err = w.tokens.Token() // the closing delimiter
	return err
}

func (w *walker) members() error {
	seen := map[string]bool{}
	for w.tokens.More() {
		start := w.tokens.InputOffset()
		token, err := w.tokens.Token()
		if err != nil {
			return w.fail(err.Error())
		}
		name, _ := token.(string)
		w.path = append(w.path, name)
		if err := w.checkEscapes(start); err != nil {
			return err
		}
		if seen[name] {
			return w.fail("a second member of this name")
		}
		seen[name] = true
		if err := w.value(); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	return nil
}

func (w *walker) elements() error {
	for i := 0; w.tokens.More(); i++ {
		w.path = append(w.path, strconv.Itoa(i))
		if err := w.value(); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	return nil
}

// checkEscapes refuses a lone surrogate in the string that ends where the
// decoder stands. The decoder itself would put U+FFFD in its place. What lies
// between start and the string's opening quote holds no backslash.
func (w *walker) checkEscapes(start int64) error {
	literal := w.raw[start:w.tokens.InputOffset()]
	for {
		i := bytes.IndexByte(literal, '\\')
		if i < 0 {
			return nil
		}
		literal = literal[i:]
		unit, escaped := utf16Escape(literal)
		switch {
		case !escaped:
			literal = literal[2:]
		case unit < 0xD800 || unit > 0xDFFF:
			literal = literal[6:]
		default:
			low, ok := utf16Escape(literal[6:])
			if unit > 0xDBFF || !ok || low < 0xDC00 || low > 0xDFFF {
				return w.fail("an escape of a lone surrogate")
			}
			literal = literal[12:]
		}
	}
}

// utf16Escape reads the \uXXXX at the start of b, if there is one.
func utf16Escape(b []byte) (unit uint64, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return unit, err == nil
}

// fail says what is wrong and where.
func (w *walker) fail(reason string) error {
	if len(w.path) == 0 {
		return fmt.Errorf("%s, at the top level (byte %d)", reason, w.tokens.InputOffset())
	}
	return fmt.Errorf("%s, at %s (byte %d)", reason, w.pointer(), w.tokens.InputOffset())
}

// pointer writes the path as a JSON Pointer. Names come from the document, so
// each is shortened and shown with its controls visible.
func (w *walker) pointer() string {
	var b strings.Builder
	for _, step := range w.path {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(Escape(clip(step, 40))))
	}
	return b.String()
}
