package text

import (
	"cmp"
	"slices"
	"strings"
)

// blockBreak parts two blocks of text that one line of a file holds.
const blockBreak = "\u2028"

// htmlLines is a text of which each block stands on the line of the file on
// which it begins.
type htmlLines struct {
	out  strings.Builder
	at   int         // the line that is written, from 1; 0 while there is none
	late []htmlBlock // for lines before it: the parser moves some blocks
	size int         // bytes of all blocks
}

type htmlBlock struct {
	line int
	text string
}

// put puts a block on its line, unless there is too much of them already.
func (l *htmlLines) put(line int, parts ...string) {
	l.size += len(blockBreak)
	for _, part := range parts {
		l.size += len(part)
	}
	switch {
	case l.size > MaxBytes:
	case line < l.at:
		l.late = append(l.late, htmlBlock{line, strings.Join(parts, "")})
	default:
		if line == l.at {
			l.out.WriteString(blockBreak)
		}
		l.goTo(line)
		for _, part := range parts {
			l.out.WriteString(part)
		}
	}
}

func (l *htmlLines) goTo(line int) {
	for l.at = max(l.at, 1); l.at < line; l.at++ {
		l.out.WriteByte('\n')
	}
}

// text returns a text of so many lines.
func (l *htmlLines) text(lines int) string {
	l.goTo(lines)
	if len(l.late) == 0 {
		return l.out.String()
	}
	slices.SortStableFunc(l.late, func(a, b htmlBlock) int { return cmp.Compare(a.line, b.line) })
	var b strings.Builder
	number := 1
	for line := range strings.SplitSeq(l.out.String(), "\n") {
		if number > 1 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		for empty := line == ""; len(l.late) > 0 && l.late[0].line == number; l.late = l.late[1:] {
			if !empty {
				b.WriteString(blockBreak)
			}
			b.WriteString(l.late[0].text)
			empty = false
		}
		number++
	}
	return b.String()
}
