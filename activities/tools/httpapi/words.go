package httpapi

import (
	"regexp"
	"strings"
)

// What some servers write in an answer of a refusal. Everything here errs to
// the careful side: a text that is misread leads to waiting or to a person,
// never to a second effect.
var (
	plainToTLS = regexp.MustCompile(`(?i)http request to an https server|http request was sent to https port|plain http to an ssl`)

	keyWords    = regexp.MustCompile(`idempot`)
	reusedWords = regexp.MustCompile(`already (been )?used|reused|mismatch|(different|same|identical) (payload|request|body|parameters)`)
	busyWords   = regexp.MustCompile(`outstanding|in progress|in flight|in use|being processed|still processing|concurrent`)
	busyAbout   = regexp.MustCompile(`idempot|request`)
)

// wantsTLS reports what servers answer to plain HTTP on a port for TLS.
func wantsTLS(text string) bool { return plainToTLS.MatchString(clip(text)) }

// saysInProgress reports an answer that speaks of an outstanding request.
func (a *answer) saysInProgress() bool {
	words := a.words()
	return busyWords.MatchString(words) && busyAbout.MatchString(words)
}

// saysKeyReused reports an answer that speaks of an idempotency key that came
// with another payload.
func (a *answer) saysKeyReused() bool {
	words := a.words()
	return keyWords.MatchString(words) && reusedWords.MatchString(words)
}

// errorMembers are where answers say what is wrong: RFC 9457, and the usual
// forms beside it.
var errorMembers = []string{"type", "title", "detail", "code", "error", "message"}

// words are the texts of an answer that say what is wrong, in lower case, with
// blanks for hyphens and underscores.
func (a *answer) words() string {
	var b strings.Builder
	object, isObject := a.body.(map[string]any)
	if isObject {
		collect(&b, object)
		if inner, ok := object["error"].(map[string]any); ok {
			collect(&b, inner)
		}
	} else {
		b.WriteString(clip(a.text))
	}
	return strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(b.String()))
}

func collect(b *strings.Builder, object map[string]any) {
	for _, name := range errorMembers {
		if text, ok := object[name].(string); ok {
			b.WriteString(clip(text) + "\n")
		}
	}
}

// clip keeps a long page from being searched.
func clip(text string) string {
	const limit = 4 << 10
	return text[:min(len(text), limit)]
}
