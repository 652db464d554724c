package text

import (
	"encoding/binary"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Text is what came of reading bytes as UTF-16 in one byte order.
type utf16Text struct {
	text     string
	encoding string
	units    int
	latin    int // code units below U+0100, which have a NUL byte
	replaced int // bytes of surrogates without their other half, and an odd last byte
	strange  int // characters that no text has: controls, noncharacters, private use, unassigned
	writing  writing
}

// readUTF16 reads bytes in the given order.
func readUTF16(data []byte, order binary.ByteOrder) utf16Text {
	t := utf16Text{encoding: "utf-16le", units: len(data) / 2}
	if order == binary.BigEndian {
		t.encoding = "utf-16be"
	}
	out := make([]byte, 0, len(data)+len(data)/2+utf8.UTFMax)
	for ; len(data) >= 2; data = data[2:] {
		r := rune(order.Uint16(data))
		if utf16.IsSurrogate(r) {
			var low rune
			if len(data) >= 4 {
				low = rune(order.Uint16(data[2:]))
			}
			if r = utf16.DecodeRune(r, low); r == unicode.ReplacementChar {
				t.replaced += 2
			} else {
				data = data[2:]
			}
		}
		if 0 < r && r < 0x100 {
			t.latin++
		}
		if r != unicode.ReplacementChar && isStrange(r) {
			t.strange++
		}
		t.writing.add(r)
		out = utf8.AppendRune(out, r)
	}
	if len(data) == 1 {
		t.replaced++
		out = utf8.AppendRune(out, unicode.ReplacementChar)
	}
	t.text = string(out)
	return t
}

func (t utf16Text) decoded(guessed bool) Decoded {
	return Decoded{Text: t.text, Encoding: t.encoding, Replaced: t.replaced, Guessed: guessed}
}

// valid reports whether all of it decodes to what a text may hold. One in a
// hundred may be newer than the Unicode tables here.
func (t utf16Text) valid() bool {
	return t.units > 0 && t.replaced <= 1 && t.strange*100 <= t.units
}

// detectUTF16 finds UTF-16 without a byte order mark. The byte order is that in
// which the text is valid; if it is in both, that in which more of it is Latin,
// because the other order makes Han of Latin letters.
func detectUTF16(data []byte) (d Decoded, ok bool) {
	nul := false
	for _, b := range data {
		nul = nul || b == 0
	}
	if !nul {
		return d, false
	}
	le, be := readUTF16(data, binary.LittleEndian), readUTF16(data, binary.BigEndian)
	t := le
	if !le.valid() || be.valid() && be.latin > le.latin {
		t = be
	}
	const cutShort = 16 // units, of which an odd last byte may be left
	switch {
	case !t.valid(), t.replaced > 0 && t.units < cutShort:
		return d, false
	case t.latin*4 >= t.units*3, t.latin*2 >= t.units && !utf8.Valid(data):
		return t.decoded(false), true
	case !utf8.Valid(data) && t.replaced == 0 && t.writing.han*3 >= t.units && t.writing.mayBeChinese():
		return t.decoded(!t.writing.isChinese()), true
	}
	return d, false
}

// isStrange reports whether no text has a reason to hold r.
func isStrange(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == '\f', r == '\uFEFF':
		return false
	case unicode.Is(unicode.Cf, r):
		return false
	default:
		return !unicode.IsGraphic(r) && !unicode.Is(unicode.Z, r)
	}
}
