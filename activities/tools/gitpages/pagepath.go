package gitpages

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

const (
	maxPathBytes    = 512
	maxSegmentBytes = 200
	pageSuffix      = ".md"
)

var (
	// gitShortName is how NTFS may shorten ".git"; Git on Windows refuses
	// such names, and a knowledge base may be cloned there.
	gitShortName = regexp.MustCompile(`(?i)^git~[0-9]+$`)

	// percentEncoded are '.', '/', '\' and NUL as a URL spells them. Nothing
	// here decodes a path; a web server in front of the pages might.
	percentEncoded = regexp.MustCompile(`(?i)%(2e|2f|5c|00)`)
)

// checkPath refuses a page path that could mean anything but one Markdown file
// below the repository's root, for any reader on any system, or that a person
// could read as another one. A path is kept as it is: two spellings of one
// letter (U+00E9, and e with U+0301) are two paths.
func checkPath(page string) error {
	switch {
	case !utf8.ValidString(page):
		return permanent(codePagePath, "the page path %s is no UTF-8", gitcli.Quote(page))
	case len(page) > maxPathBytes:
		return permanent(codePagePath, "the page path %s has %d bytes; %d is the most", gitcli.Quote(page), len(page), maxPathBytes)
	case !strings.HasSuffix(page, pageSuffix):
		return permanent(codePagePath, "the page path %s does not end in %s", gitcli.Quote(page), pageSuffix)
	}
	return checkSegments(page)
}

// checkSegments holds every name of a slash-separated relative path to the
// rules that are the same for folders and pages.
func checkSegments(path string) error {
	for segment := range strings.SplitSeq(path, "/") {
		if why := refuseSegment(segment); why != "" {
			return permanent(codePagePath, "the page path %s %s", gitcli.Quote(path), why)
		}
	}
	return nil
}

// refuseSegment says what is wrong with one name of a path; "" when nothing.
func refuseSegment(s string) string {
	switch {
	case s == "":
		return "is not relative, or has an empty name in it"
	case s == "." || s == "..":
		return `has "." or ".." in it`
	case len(s) > maxSegmentBytes:
		return "has a name of more than 200 bytes in it"
	case s[0] == '.', s[0] == '-':
		return `has a name in it that begins with "." or "-"`
	case s[0] == ' ', s[len(s)-1] == ' ', s[len(s)-1] == '.':
		return `has a name in it that begins or ends with a space, or ends with "."`
	case strings.Contains(s, `\`):
		return "has a backslash in it"
	case percentEncoded.MatchString(s):
		return "has an encoded dot, slash, backslash or NUL in it"
	case gitShortName.MatchString(s):
		return "has a name in it that stands for Git's own folder"
	case plan.Escape(s) != s:
		return "has a control, bidi, zero-width or other invisible character in it"
	default:
		return ""
	}
}
