package outline

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// frontMatter is what a document says of itself before it begins.
type frontMatter struct {
	title, date string
	titleLine   int
	tooLong     bool // nothing of it was read
}

// maxFrontMatter bounds what is read as front matter, in bytes. Between two
// rules that are further apart stands a part of the document.
const maxFrontMatter = 64 << 10

// cutFrontMatter reads a YAML block between two lines of three dashes at the
// top of a document, and returns the document with blank lines in its place.
// A longer one than maxFrontMatter stays in the document.
func cutFrontMatter(document string) (frontMatter, string) {
	rest, ok := strings.CutPrefix(document, "---\n")
	if !ok {
		return frontMatter{}, document
	}
	head, body, found := strings.Cut(rest, "\n---\n")
	if after, empty := strings.CutPrefix(rest, "---\n"); empty {
		head, body, found = "", after, true
	} else if !found {
		head, found = strings.CutSuffix(strings.TrimSuffix(rest, "\n"), "\n---")
	}
	if !found {
		return frontMatter{}, document
	}
	if len(head) > maxFrontMatter {
		return frontMatter{tooLong: true}, document
	}
	var front frontMatter
	var root yaml.Node
	if yaml.Unmarshal([]byte(head), &root) == nil && len(root.Content) == 1 && root.Content[0].Kind == yaml.MappingNode {
		pairs := root.Content[0].Content
		for i := 0; i+1 < len(pairs); i += 2 {
			key, value := pairs[i].Value, pairs[i+1]
			switch {
			case value.Kind != yaml.ScalarNode:
			case key == "title":
				front.title, front.titleLine = oneLine(value.Value), value.Line+1
			case key == "date":
				front.date = value.Value
			}
		}
	}
	blank := strings.Repeat("\n", strings.Count(document[:len(document)-len(body)], "\n"))
	return front, blank + body
}
