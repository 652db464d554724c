package smtpclient

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// encodedBytes is how many bytes of text one encoded word carries, so that a
// line with the longest field name before it has at most 76 characters (RFC
// 2047, section 2).
const encodedBytes = 39

// longestPlain is the longest text that stands in a field as it is.
const longestPlain = 60

// unstructured writes a text for a header field. A text that is not plainly
// printable ASCII, that would make a long line, or that a reader would take for
// an encoded word, becomes encoded words (RFC 2047), each on a line of its own.
func unstructured(text string) string {
	if plain(text) {
		return text
	}
	return encodedWords(text)
}

// phrase writes the name before an address.
func phrase(name string) string {
	if plain(name) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
	}
	return encodedWords(name)
}

func plain(text string) bool {
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	return len(text) <= longestPlain && !strings.ContainsFunc(text, odd) &&
		!strings.Contains(text, "=?") && strings.TrimSpace(text) == text
}

// encodedWords splits at letters, not within them (RFC 2047, section 5).
func encodedWords(text string) string {
	var words []string
	for text != "" {
		end := 0
		for end < len(text) {
			_, size := utf8.DecodeRuneInString(text[end:])
			if end+size > encodedBytes {
				break
			}
			end += size
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:end]))+"?=")
		text = text[end:]
	}
	return strings.Join(words, "\r\n ")
}

// addressList writes addresses, each on a line of its own.
func addressList(list []Address) string {
	written := make([]string, len(list))
	for i, a := range list {
		written[i] = a.Path()
		if a.Name != "" {
			written[i] = phrase(a.Name) + "\r\n " + a.Path()
		}
	}
	return strings.Join(written, ",\r\n ")
}
