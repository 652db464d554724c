package outline

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
)

// maxPageBytes bounds a page, as its tool does.
const maxPageBytes = 1 << 20

// page is one page of the knowledge base while it is being written.
type page struct {
	path, title string // the title as plain text
	words       words
	links       links
	lines       []string // of the body, without line ends; "…" for those that a cut leaves out
	size        int      // of these, in bytes
	tail        []string // what a cut leaves standing
}

// add adds lines. What cannot be on the page any more is counted and not kept:
// a document may have entries for a hundred pages.
func (p *page) add(lines ...string) {
	for _, line := range lines {
		if p.size > maxPageBytes && line != "" {
			line = "…"
		}
		p.size += len(line) + 1
		p.lines = append(p.lines, line)
	}
}

// blank adds an empty line unless one is there.
func (p *page) blank() {
	if n := len(p.lines); n > 0 && p.lines[n-1] != "" {
		p.add("")
	}
}

func (p *page) head(level int, markdown string) {
	p.blank()
	p.add(strings.Repeat("#", level)+" "+markdown, "")
}

// markdown returns the page. What does not fit is cut, and the cut is stated.
func (p *page) markdown() string {
	tail := strings.Join(p.tail, "\n") + "\n"
	size := len(tail) + 200 // room for the statement
	for i, line := range p.lines {
		size += len(line) + 1
		if size > maxPageBytes {
			kept := strings.Join(p.lines[:i], "\n")
			return kept + "\n\n" + fmt.Sprintf(p.words.cutPage, i, len(p.lines)) + "\n\n" + tail
		}
	}
	return strings.TrimRight(strings.Join(p.lines, "\n"), "\n") + "\n\n" + tail
}

// sources lists the documents of a page, each with the digest of its bytes.
func (p *page) sources(topics []topic) {
	p.tail = append(p.tail, "## "+p.words.sources, "")
	for _, t := range topics {
		line := "- " + p.links.document(t)
		if !t.doc.Digest.IsZero() {
			line += " `" + t.doc.Digest.String() + "`"
		}
		p.tail = append(p.tail, line)
	}
	if p.links.bare() {
		p.tail = append(p.tail, "", p.words.howLinks)
	}
}

// body is a page's content, without the place where it goes.
type body struct{ title, content string }

// proposal proposes to write the page at a path of the target.
func (b body) proposal(path string, target planners.Target) tools.Proposal {
	parameters, _ := json.Marshal(struct { //nolint:errchkjson // texts can always be written
		Page    string `json:"page"`
		Content string `json:"content"`
		Title   string `json:"title"`
	}{path, b.content, b.title})
	return tools.Proposal{Tool: target.Tool, Parameters: parameters, AllowedTarget: target.Name}
}

// to returns the path from this page to another.
func (p *page) to(other string) string {
	up := strings.Repeat("../", strings.Count(p.path, "/"))
	return up + linkPath(other)
}

// links writes links into the documents.
type links struct {
	prefixes map[string]string // by source; see Planner.SourceURLs
	alone    bool              // there are no other pages to link to
}

func (l links) bare() bool { return len(l.prefixes) == 0 }

// document links a whole document.
func (l links) document(t topic) string {
	return "[" + quote(t.name(), maxQuote, english) + "](" + l.address(t) + ")"
}

// at links lines of a document, by its path, or by its name alone on a page
// that is about nothing else.
func (l links) at(t topic, first, last int, short bool) string {
	label := t.doc.Path
	if short {
		label = path.Base(label)
	}
	lines, fragment := fmt.Sprint(first), fmt.Sprintf("#L%d", first)
	if last > first {
		lines, fragment = fmt.Sprintf("%d-%d", first, last), fmt.Sprintf("#L%d-L%d", first, last)
	}
	return "[" + quote(label, maxQuote, english) + ":" + lines + "](" + l.address(t) + fragment + ")"
}

func (l links) address(t topic) string {
	if prefix, ok := l.prefixes[t.doc.Source]; ok {
		return prefix + linkPath(t.doc.Path)
	}
	return "source:" + linkPath(t.name())
}
