package model

import (
	"fmt"
	"slices"
	"strings"
)

// shareOf is the most that each of the texts may have so that all fit into
// room: the short ones whole, and the rest in equal parts.
func shareOf(texts []weight, room weight) weight {
	sorted := slices.Sorted(slices.Values(texts))
	for i, w := range sorted {
		others := weight(len(sorted) - i)
		if w*others > room {
			return room / others
		}
		room -= w
	}
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)-1]
}

// cutText is as much of a text as fits into room: whole lines, or a part of the
// first when not even that fits. cut says in words what is there of the text's all
// lines; it is empty when everything is. Of the text it takes a beginning that
// does not fit.
func cutText(text string, all int, room weight) (kept, cut string) {
	used, lines, end, lineEnd := weight(0), 0, len(text), 0
	for i, r := range text {
		if used += weightOfRune(r); used > room {
			end = i
			break
		}
		if r == '\n' {
			lines, lineEnd = lines+1, i
		}
	}
	switch {
	case end == len(text):
		return text, ""
	case text[end] == '\n': // the line that was to end here is whole
		return text[:end], cutAfter(lines+1, all)
	case lines > 0:
		return text[:lineEnd], cutAfter(lines, all)
	default:
		return text[:end], cutWithin(1, all)
	}
}

func countLines(text string) int { return strings.Count(text, "\n") + 1 }

func cutAfter(line, all int) string  { return fmt.Sprintf("cut after line %d of %d", line, all) }
func cutWithin(line, all int) string { return fmt.Sprintf("cut within line %d of %d", line, all) }
