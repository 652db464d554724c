package folder

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Globs match slash-separated paths. In a pattern
//
//	?   stands for one character, not a slash
//	*   stands for any characters but a slash
//	**  as a whole component stands for any number of components, also none
//
// and everything else for itself, in upper and lower case as written. A
// pattern that matches a folder stands for everything in it, so "drafts",
// "drafts/" and "drafts/**" mean the same. There are no braces and no
// brackets: several patterns say the same, and matching stays linear in the
// text whatever the pattern.
type Globs []glob

type glob []string // the pattern's components

const maxGlobBytes = 512

// ParseGlobs reads patterns.
func ParseGlobs(patterns []string) (Globs, error) {
	globs := make(Globs, 0, len(patterns))
	for _, p := range patterns {
		if problem := globProblem(p); problem != "" {
			return nil, fmt.Errorf("glob %q: %s", p, problem)
		}
		globs = append(globs, strings.Split(strings.TrimSuffix(p, "/"), "/"))
	}
	return globs, nil
}

func globProblem(p string) string {
	switch {
	case p == "" || p == "/":
		return "is empty"
	case len(p) > maxGlobBytes:
		return fmt.Sprintf("has %d bytes; at most %d are allowed", len(p), maxGlobBytes)
	case strings.HasPrefix(p, "/"):
		return "begins with a slash; patterns are relative to the folder"
	case strings.ContainsAny(p, `{}[]\`):
		return "braces, brackets and backslashes have no meaning here; give several patterns with *, ? and **"
	}
	for component := range strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") {
		switch {
		case component == "" || component == "." || component == "..":
			return fmt.Sprintf("the component %q can match nothing", component)
		case component != "**" && strings.Contains(component, "**"):
			return "** stands alone between slashes"
		}
	}
	return ""
}

// Match reports whether a pattern matches path or a folder it is in.
func (gs Globs) Match(path string) bool {
	components := strings.Split(path, "/")
	for _, g := range gs {
		if g.match(components) {
			return true
		}
	}
	return false
}

// match keeps, component by component, the set of places in the pattern that
// the path so far may have reached.
func (g glob) match(path []string) bool {
	at := make([]bool, len(g)+1)
	at[0] = true
	for _, component := range path {
		next := make([]bool, len(g)+1)
		for i, here := range g.reach(at) {
			switch {
			case !here || i == len(g):
			case g[i] == "**":
				next[i] = true
			case matchComponent(g[i], component):
				next[i+1] = true
			}
		}
		if g.reach(next)[len(g)] {
			return true // the pattern is used up: path is it, or lies in it
		}
		at = next
	}
	return false
}

// reach adds the places behind each "**", which may stand for nothing.
func (g glob) reach(at []bool) []bool {
	for i := range g {
		if at[i] && g[i] == "**" {
			at[i+1] = true
		}
	}
	return at
}

// matchComponent goes back to the last star only, which is enough.
func matchComponent(pattern, name string) bool {
	star, retry := -1, 0
	p, n := 0, 0
	for n < len(name) {
		_, size := utf8.DecodeRuneInString(name[n:])
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, n
			p++
		case p < len(pattern) && pattern[p] == '?':
			p, n = p+1, n+size
		case p < len(pattern) && pattern[p] == name[n]:
			p, n = p+1, n+1
		case star >= 0:
			_, passed := utf8.DecodeRuneInString(name[retry:])
			retry += passed
			p, n = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
