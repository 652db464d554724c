package outline

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	maxSlug  = 80 // bytes
	hashSize = 8  // digits of the hash that parts two equal slugs
)

// giveSlugs names the topics' pages after the documents' paths, which stay when
// a title changes: a retitled note keeps its page. Documents whose paths give
// one slug (a/b.md and a-b.md, README.md and readme.md) all get a hash of
// their path, so that no page's name depends on its place in a list.
func giveSlugs(topics []topic) {
	fold := cases.Fold()
	owners := map[string]int{}
	for i := range topics {
		topics[i].slug = slugOf(topics[i].doc.Path)
		owners[fold.String(topics[i].slug)]++
	}
	for i, t := range topics {
		if owners[fold.String(t.slug)] > 1 {
			sum := sha256.Sum256([]byte(t.name()))
			topics[i].slug = strings.TrimRight(cut(t.slug, maxSlug-1-hashSize), "-") + "-" + hex.EncodeToString(sum[:])[:hashSize]
		}
	}
}

// slugOf keeps the letters and digits of a path, of any script, in lower case
// and composed (NFC), and puts a dash for everything between them. The
// extension goes, and so does "readme" in a folder: it is about the folder.
func slugOf(p string) string {
	p = strings.TrimSuffix(p, path.Ext(p))
	if dir, base := path.Split(p); dir != "" && strings.EqualFold(base, "readme") {
		p = dir
	}
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToLower(p)) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r) && b.Len() > 0 && unicode.IsGraphic(r):
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := strings.Trim(cut(strings.TrimLeft(b.String(), "-"), maxSlug), "-")
	switch {
	case slug == "":
		return "topic"
	case windowsDevice.MatchString(slug):
		return slug + "-page"
	default:
		return slug
	}
}

// windowsDevice are names that no file can have on Windows, where a knowledge
// base may be cloned too.
var windowsDevice = regexp.MustCompile(`^(?:con|prn|aux|nul|com\d|lpt\d)$`)

// cut shortens s to at most limit bytes, between characters.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// actionID makes an action's id, letters and digits of ASCII only, from a slug.
func actionID(prefix, slug string) string {
	const longest = 64
	id := prefix + slug
	plain := len(id) <= longest
	for _, r := range slug {
		plain = plain && (r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z')
	}
	if plain {
		return id
	}
	sum := sha256.Sum256([]byte(slug))
	return prefix + hex.EncodeToString(sum[:])[:16]
}
