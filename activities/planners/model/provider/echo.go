package provider

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/holdpoint/holdpoint/activities/planners/model"
)

const (
	// leastSecret is the length from which a key is looked for in answers. Shorter
	// ones are words such as "ollama", which servers without keys are given, and
	// which stand in their answers.
	leastSecret = 12
	// maxEscapes is how many layers of JSON in JSON are taken off. An answer has
	// three: the envelope, the reply in it, and a tool's parameter that is JSON.
	maxEscapes = 8
)

// repeats reports whether an answer holds the key. What a reply is made of, such
// as parts of a text, may hold it only once they are put together.
func repeats(body []byte, key string, read func([]byte) (model.Reply, error)) bool {
	if len(key) < leastSecret {
		return false
	}
	forms := formsOf(key)
	if holds(body, forms) {
		return true
	}
	reply, err := read(body)
	return err == nil && slices.ContainsFunc([]string{reply.Text, reply.Refusal, reply.ModelID}, func(text string) bool {
		return holds([]byte(text), forms)
	})
}

// formsOf are a key as it stands, and what it looks like within base64 in either
// alphabet (RFC 4648), at each of the three places where it can begin there.
func formsOf(key string) []string {
	forms := []string{key}
	for before := range 3 {
		encoded := base64.StdEncoding.EncodeToString(append(make([]byte, before), key...))
		first := (before*8 + 5) / 6 // the letters before it also have bits of what stands before the key,
		end := (before + len(key)) * 8 / 6
		middle := encoded[first:end] // and those after it, of what follows
		forms = append(forms, middle, strings.NewReplacer("+", "-", "/", "_").Replace(middle))
	}
	return forms
}

// holds reports whether a text has one of the forms in it, also with blanks and
// invisible letters between, or under escapes of JSON.
func holds(text []byte, forms []string) bool {
	for range maxEscapes {
		shown := bytes.Map(func(r rune) rune {
			if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
				return -1
			}
			return r
		}, text)
		if slices.ContainsFunc(forms, func(form string) bool { return bytes.Contains(shown, []byte(form)) }) {
			return true
		}
		inner := unescaped(text)
		if len(inner) == len(text) {
			return false
		}
		text = inner
	}
	return false
}

// unescaped takes one layer of JSON's escapes (RFC 8259, 7) off a text, wherever
// they stand. Each becomes shorter, so that a text of the same length had none.
func unescaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return append(out, text...)
		}
		out = append(out, text[:i]...)
		escape := text[i:]
		text = escape[2:]
		switch escape[1] {
		case '"', '\\', '/':
			out = append(out, escape[1])
		case 'b', 'f', 'n', 'r', 't':
			out = append(out, ' ')
		case 'u':
			unit, err := strconv.ParseUint(string(escape[2:min(6, len(escape))]), 16, 16)
			if err != nil || len(escape) < 6 {
				out = append(out, escape[:2]...)
				continue
			}
			out, text = utf8.AppendRune(out, rune(unit)), escape[6:]
		default:
			out = append(out, escape[:2]...)
		}
	}
}
