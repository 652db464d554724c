package text

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// decodeBytes finds the encoding, as the package comment says, and decodes.
func decodeBytes(data []byte) Decoded {
	d := decodeMarked(data)
	if d.Encoding == "" && d.Problem == "" {
		d = decodeUnmarked(data)
	}
	if d.Problem != "" {
		return d
	}
	if notText(d.Text, d.Replaced) {
		return problem("no text in UTF-8, UTF-16 or GB18030: mostly control characters or bytes that do not decode")
	}
	d.Text, d.NULs = normalize(d.Text)
	return d
}

// decodeMarked decodes what begins with a byte order mark (Unicode 17.0,
// section 23.8; GB 18030 encodes U+FEFF as 84 31 95 33).
func decodeMarked(data []byte) Decoded {
	rest := func(mark string) []byte { return data[len(mark):] }
	for _, m := range []struct {
		mark   string
		decode func(rest []byte) Decoded
	}{
		{"\xef\xbb\xbf", func(b []byte) Decoded { return decodeUTF8(b, "utf-8-bom") }},
		{"\xff\xfe\x00\x00", func([]byte) Decoded { return problem("the encoding UTF-32 is not read") }},
		{"\x00\x00\xfe\xff", func([]byte) Decoded { return problem("the encoding UTF-32 is not read") }},
		{"\xff\xfe", func(b []byte) Decoded { return readUTF16(b, binary.LittleEndian).decoded(false) }},
		{"\xfe\xff", func(b []byte) Decoded { return readUTF16(b, binary.BigEndian).decoded(false) }},
		{"\x84\x31\x95\x33", func(b []byte) Decoded { return readGB18030(b).decoded(false) }},
	} {
		if bytes.HasPrefix(data, []byte(m.mark)) {
			return m.decode(rest(m.mark))
		}
	}
	return Decoded{}
}

func decodeUnmarked(data []byte) Decoded {
	if d, ok := detectUTF16(data); ok {
		return d
	}
	whole, bad := countUTF8(data)
	if bad == 0 || whole >= bad {
		return decodeUTF8(data, "utf-8")
	}
	if g := readGB18030(data); g.plausible() {
		return g.decoded(!g.proven())
	}
	d := decodeUTF8(data, "utf-8")
	d.Guessed = true
	return d
}

// countUTF8 counts the whole letters of three or four bytes, which text in
// another encoding hardly ever has by chance, and the bytes that do not decode.
func countUTF8(data []byte) (whole, bad int) {
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 2:
			whole++
		}
		data = data[size:]
	}
	return whole, bad
}

func decodeUTF8(data []byte, encoding string) Decoded {
	d := Decoded{Encoding: encoding, Text: string(data)}
	if utf8.ValidString(d.Text) {
		return d
	}
	var b strings.Builder
	b.Grow(len(data))
	for text := d.Text; text != ""; {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			d.Replaced++
		}
		b.WriteRune(r)
		text = text[size:]
	}
	d.Text = b.String()
	return d
}

// notText reports whether a text is so full of controls or of replaced bytes
// that it never was one. A few of them stand in real texts; short ones get the
// benefit of the doubt.
func notText(text string, replaced int) bool {
	const few = 8
	letters, controls := 0, 0
	for _, r := range text {
		letters++
		if unicode.IsControl(r) && !strings.ContainsRune("\t\n\v\f\r\u0085\x1b", r) {
			controls++
		}
	}
	return controls > few && controls > letters/10 || replaced > few && replaced > letters/2
}

// normalize makes every line end "\n": CR LF, CR, and NEL (UAX #14, classes
// CR, LF and NL). VT and FF, which only move the next line of a printout,
// become blanks. U+2028 and U+2029 stay: they part pieces of one line.
func normalize(text string) (normal string, nuls int) {
	if !strings.ContainsAny(text, "\r\v\f\x00\u0085") {
		return text, 0
	}
	var b strings.Builder
	b.Grow(len(text))
	for i, r := range text {
		switch r {
		case 0:
			nuls++
		case '\r':
			if !strings.HasPrefix(text[i+1:], "\n") {
				b.WriteByte('\n')
			}
		case '\u0085':
			b.WriteByte('\n')
		case '\v', '\f':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), nuls
}
