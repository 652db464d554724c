package strictyaml

import (
	"regexp"
	"strings"
)

// MaxNodes is how many nodes the YAML reader makes of a text at most. It keeps
// some hundred bytes for each, a hundred times what "[1,1,…]" has, so whoever
// reads what strangers write asks before.
//
// It counts the marks that part values. Those in the texts that block scalars
// (|, >) and quotes hold are passed over, as long as the lines before leave no
// doubt that this is what they are; from the first doubt on all are counted.
// So a plan with long texts has few, and no text has more than this says.
func MaxNodes(text string) int {
	s := sizer{rest: strings.ReplaceAll(text, "\r\n", "\n"), nodes: 1}
	sure := !strings.ContainsAny(s.rest, otherBreaks)
	for sure && s.rest != "" {
		sure = s.line()
	}
	return s.nodes + marks(s.rest, true)
}

// otherBreaks end a line of YAML as a line feed does. The lines here end with
// that one alone.
const otherBreaks = "\r\u0085\u2028\u2029"

var (
	// aKey is the front of a line that is a member of a mapping, or a mistake that
	// ends the reading: within another value its colon cannot stand.
	aKey        = regexp.MustCompile(`^( *(?:- +)*)[A-Za-z_][A-Za-z0-9_.-]*: +`)
	anItem      = regexp.MustCompile(`^ *(?:- +)+`)
	opener      = regexp.MustCompile(`(?:^|[ \t])["'\[{|>]`)
	blockHeader = regexp.MustCompile(`^[|>](?:[-+]?[1-9]?|[1-9][-+])[ \t]*$`)
	nothingMore = regexp.MustCompile(`^[ \t]*(?:[ \t]#.*)?$`)
	beginsPlain = regexp.MustCompile(`^[\pL\pN_(/.+=~;<\\^$]`)
)

type sizer struct {
	rest  string // begins with a line that is in no quotes and no brackets
	nodes int
}

// line passes over one line, and what it opens. It returns false, and stays
// where it is, when it is not sure where that ends.
func (s *sizer) line() bool {
	line, _, _ := strings.Cut(s.rest, "\n")
	if strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
		return s.pass(len(line), 0)
	}
	if !opener.MatchString(line) {
		return s.pass(len(line), marks(line, false))
	}
	if at := aKey.FindStringSubmatchIndex(line); at != nil {
		return s.value(line, at[1], at[3])
	}
	front := max(len(anItem.FindString(line)), len(line)-len(strings.TrimLeft(line, " ")))
	value := line[front:]
	switch {
	case beginsPlain.MatchString(value):
		return !strings.Contains(value+" ", ": ") && !strings.Contains(value, ":\t") && s.pass(len(line), marks(line, false))
	case value != "" && strings.IndexByte(`"'`, value[0]) >= 0:
		end := quoteEnd(value)
		return end > 0 && nothingMore.MatchString(value[end:]) && s.pass(len(line), marks(line[:front], false))
	default:
		return isWholeFlow(value) && s.pass(len(line), marks(line, true))
	}
}

// value passes over a line that has a key at a column, and its value from at on.
func (s *sizer) value(line string, at, column int) bool {
	nodes, value := marks(line[:at], false), line[at:]
	switch {
	case value == "" || beginsPlain.MatchString(value):
		return s.pass(len(line), nodes)
	case blockHeader.MatchString(value):
		indent := 0
		if digit := strings.IndexAny(value, "123456789"); digit > 0 {
			indent = column + int(value[digit]-'0')
		}
		return s.pass(len(line), nodes) && s.block(column, indent)
	case value[0] == '"' || value[0] == '\'':
		end := quoteEnd(s.rest[at:])
		if end == 0 { // to the end of the text, which is a mistake
			return s.pass(len(s.rest), nodes)
		}
		behind, _, _ := strings.Cut(s.rest[at+end:], "\n")
		return nothingMore.MatchString(behind) && s.pass(at+end+len(behind), nodes)
	default:
		return isWholeFlow(value) && s.pass(len(line), nodes+marks(value, true))
	}
}

// pass goes on behind a line that ends at a place.
func (s *sizer) pass(end, nodes int) bool {
	s.nodes += nodes
	s.rest = strings.TrimPrefix(s.rest[end:], "\n")
	return true
}

// block passes over the lines of a block scalar: those that are indented as its
// first is, or as its header says, and more than the key that it belongs to.
func (s *sizer) block(column, indent int) bool {
	for s.rest != "" {
		line, _, _ := strings.Cut(s.rest, "\n")
		blanks := len(line) - len(strings.TrimLeft(line, " "))
		if blanks < len(line) {
			if indent == 0 {
				indent = max(blanks, column+1)
			}
			if blanks < indent {
				break
			}
		}
		s.pass(len(line), 0)
	}
	return true
}

// quoteEnd is where the quoted text ends with which text begins; 0 when it
// does not.
func quoteEnd(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && strings.HasPrefix(text[i+1:], "'"):
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return 0
}

// isWholeFlow reports whether a value is one list or mapping in brackets, which
// ends on its line and holds nothing in which a bracket may be none.
func isWholeFlow(value string) bool {
	if value == "" || strings.IndexByte("[{", value[0]) < 0 || strings.ContainsAny(value, `"'#!%|>`) {
		return false
	}
	depth := 0
	for i := range len(value) {
		switch value[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// marks counts the nodes that the marks of a text can begin, be it in brackets
// or not: one for an item, two for a member and its value or for a document.
func marks(text string, flow bool) int {
	nodes := 2 * strings.Count(text, "...")
	for i := range len(text) {
		switch c := text[i]; {
		case flow && (c == ',' || c == '{' || c == ':' || c == '?'):
			nodes += 2
		case flow && c == '[', c == '-' && endsMark(text[i+1:]):
			nodes++
			if i > 0 && text[i-1] == '-' {
				nodes++
			}
		case (c == ':' || c == '?') && endsMark(text[i+1:]):
			nodes += 2
		}
	}
	return nodes
}

// endsMark reports whether what follows a mark may make it one. Beyond ASCII
// there are breaks of lines.
func endsMark(rest string) bool {
	return rest == "" || rest[0] <= ' ' || rest[0] >= 0x80
}
