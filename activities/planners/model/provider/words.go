package provider

import (
	"encoding/json"
	"regexp"
	"strings"
)

// words are what an answer's error object calls the error. Both providers have
// one under "error", with a type; OpenAI's has a code too.
type words struct{ kind, code string }

func readWords(body []byte) words {
	var envelope struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &envelope) != nil {
		return words{}
	}
	return errorWords(envelope.Error)
}

// errorWords reads an error object. Other servers have numbers or null in place
// of a text: each member counts for itself.
func errorWords(object json.RawMessage) words {
	var members struct {
		Type json.RawMessage `json:"type"`
		Code json.RawMessage `json:"code"`
	}
	if json.Unmarshal(object, &members) != nil {
		return words{}
	}
	return words{kind: text(members.Type), code: text(members.Code)}
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// A code is made of words; what has digits, or is long, may be something else.
var codeForm = regexp.MustCompile(`^[A-Za-z]+(_[A-Za-z]+)*$`)

const (
	maxCode = 48
	// leastEcho is the length from which a word that the code shares with the key
	// is taken for a piece of the key.
	leastEcho = 4
)

// shown is the code, or else the type, as an error's text may have it: "" for
// one that looks like no code, or that holds a piece of the key, which a server
// may echo anywhere.
func (w words) shown(key string) string {
	for _, code := range []string{w.code, w.kind} {
		if len(code) <= maxCode && codeForm.MatchString(code) && !echoes(code, key) {
			return code
		}
	}
	return ""
}

func echoes(code, key string) bool {
	code, key = strings.ToLower(code), strings.ToLower(key)
	if key == "" {
		return false
	}
	if strings.Contains(code, key) || strings.Contains(key, code) {
		return true
	}
	for word := range strings.SplitSeq(code, "_") {
		if len(word) >= leastEcho && strings.Contains(key, word) {
			return true
		}
	}
	return false
}
