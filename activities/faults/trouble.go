package faults

import (
	"errors"
	"regexp"
	"strings"
)

// Trouble is what the worker's own log says of an error: its text, and the texts
// of what has caused it, from the outside in. What an error repeats of the one
// within is said once, and after 2 KiB nothing more.
//
// A fault's text was made to be shown. The other texts were made by anybody, so
// they are shown without what stands behind "?" or "#" in a URL and before "@",
// without what follows a name such as token, password or Authorization, and
// without words that look like keys.
func Trouble(err error) (text, cause string) {
	if err == nil {
		return "", ""
	}
	fault, ok := errors.AsType[*Fault](err)
	if ok {
		text = fault.Error()
		return text, causes(fault.Cause, text)
	}
	text = redact(err.Error())
	return clip(text, maxTroubleBytes), causes(errors.Unwrap(err), text)
}

const maxTroubleBytes = 2 << 10

// causes are the texts of err and of what it wraps that before does not hold. Of
// joined errors the join's text is all.
func causes(err error, before string) string {
	var all []string
	for ; err != nil; err = errors.Unwrap(err) {
		if text := redact(err.Error()); !strings.Contains(before, text) {
			all, before = append(all, text), text
		}
	}
	return clip(strings.Join(all, " ← "), maxTroubleBytes)
}

var (
	// userInfo and query are what stands before "@" in a URL, and behind "?" or "#"
	// (RFC 3986, 3).
	userInfo = regexp.MustCompile(`\b([A-Za-z][A-Za-z0-9+.-]*://)[^/?#\s"'@]*@`)
	query    = regexp.MustCompile(`\b([A-Za-z][A-Za-z0-9+.-]*://[^?#\s"']*)[?#][^\s"']*`)

	// credential is a name that a secret follows, in headers, connection strings,
	// queries and JSON, with the rest of its line or up to the next delimiter.
	credential = regexp.MustCompile(`(?i)\b([a-z_-]*(?:token|passw(?:or)?d|pwd|secret|api[_-]?key|access[_-]?key|credentials?|signature)"?\s*[:=]\s*)` +
		`("[^"]*"|[^\s,;&"']+)`)
	header = regexp.MustCompile(`(?i)\b((?:proxy-)?authorization|(?:set-)?cookie|x-[a-z0-9-]+)(\s*[:=]\s*)[^\r\n]*`)
	scheme = regexp.MustCompile(`\b(Bearer|Basic) [^\s"',;]+`)

	// word is a candidate for a key: see looksLikeKey.
	word = regexp.MustCompile(`[A-Za-z0-9+=_-]{20,}`)
)

// hidden stands for what is not shown.
const hidden = "[hidden]"

func redact(text string) string {
	text = userInfo.ReplaceAllString(text, "${1}"+hidden+"@")
	text = query.ReplaceAllString(text, "${1}?"+hidden)
	text = header.ReplaceAllString(text, "${1}${2}"+hidden)
	text = credential.ReplaceAllString(text, "${1}"+hidden)
	text = scheme.ReplaceAllString(text, "${1} "+hidden)
	return word.ReplaceAllStringFunc(text, func(word string) string {
		if looksLikeKey(word) {
			return hidden
		}
		return word
	})
}

// looksLikeKey reports whether a long word mixes capitals, small letters and
// digits, as what a generator of keys makes does, and digests do not.
func looksLikeKey(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return 'A' <= r && r <= 'Z' }) &&
		strings.ContainsFunc(word, func(r rune) bool { return 'a' <= r && r <= 'z' }) &&
		strings.ContainsFunc(word, func(r rune) bool { return '0' <= r && r <= '9' })
}
