package text

import (
	"encoding/binary"
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// maxLabel bounds the label of a charset in a reason, in bytes.
const maxLabel = 60

// decodeSaid decodes bytes of which somebody says in which charset they are, by
// a label of the WHATWG Encoding Standard. That is no guess. A byte order mark
// goes before it (section 6, "decode"), and an empty label says nothing.
func decodeSaid(data []byte, label string) Decoded {
	d := decodeMarked(data)
	if label == "" || d.Encoding != "" || d.Problem != "" {
		return decodeBytes(data)
	}
	if d = decodeLabel(data, label); d.Problem != "" {
		return d
	}
	if notText(d.Text, d.Replaced) {
		return problem("no text in " + d.Encoding + ", as which it was sent: mostly control characters or bytes that do not decode")
	}
	d.Text, d.NULs = normalize(d.Text)
	return d
}

func decodeLabel(data []byte, label string) Decoded {
	found, name := encodingOf(label)
	switch name {
	case "", "replacement", "x-user-defined": // the latter two stand for no text
		return problem("the charset " + plan.Clip(plan.Escape(label), maxLabel) + " is not read")
	case "utf-8":
		return decodeUTF8(data, name)
	case "utf-16le":
		return readUTF16(data, binary.LittleEndian).decoded(false)
	case "utf-16be":
		return readUTF16(data, binary.BigEndian).decoded(false)
	case "gbk", "gb18030": // the first is a part of the second
		return readGB18030(data).decoded(false)
	}
	decoded, err := found.NewDecoder().Bytes(data)
	if err != nil {
		return problem("no text in " + name + ", as which it was sent")
	}
	text := string(decoded)
	return Decoded{Text: text, Encoding: name, Replaced: strings.Count(text, string(unicode.ReplacementChar))}
}

// encodingOf returns the encoding that a label stands for and its name; none for a
// label that the standard does not have.
func encodingOf(label string) (encoding.Encoding, string) {
	found, err := htmlindex.Get(label)
	if err != nil {
		return nil, ""
	}
	name, err := htmlindex.Name(found)
	if err != nil {
		return nil, ""
	}
	return found, name
}
