package plan

import (
	"fmt"
	"strings"
)

// Summary returns the plan in Markdown for the details pane of the Temporal
// Web UI, in at most limit bytes. The same plan and limit give the same text.
// What does not fit is left out in whole lines, and a last paragraph says in
// words what that is; a limit too small for that paragraph (some 200 bytes)
// yields the empty text.
//
// Texts of the plan stand in code spans and fences only, escaped, so that no
// document can put a link, picture or heading on the page.
func Summary(p Plan, limit int) string {
	text, left := summarize(p, limit)
	if left == (leftOut{}) {
		return text
	}
	longest := leftOut{goal: true, notes: len(p.Notes), lines: len(p.Actions), previews: len(p.Actions), ends: 1}
	room := limit - len(longest.String())
	if room < 0 {
		return ""
	}
	text, left = summarize(p, room)
	return text + left.String()
}

// leftOut counts what a summary had no room for.
type leftOut struct {
	goal                         bool
	notes, lines, previews, ends int
}

// String says it in words, as the last paragraph.
func (l leftOut) String() string {
	var parts []string
	if l.goal {
		parts = append(parts, "the goal")
	}
	for _, part := range []struct {
		count int
		what  string
	}{
		{l.notes, "notes: %d"},
		{l.lines, "actions: %d"},
		{l.previews, "previews: %d"},
		{l.ends, "the end of a preview: %d"},
	} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf(part.what, part.count))
		}
	}
	return "**Left out here for length** (" + strings.Join(parts, ", ") + "). `approver show` with the run's id shows all of it.\n"
}

// sheet is Markdown of bounded length.
type sheet struct {
	text strings.Builder
	room int // bytes still free
}

// add writes all of s, or nothing when it does not fit.
func (s *sheet) add(text string) bool {
	if len(text) > s.room {
		return false
	}
	s.room -= len(text)
	s.text.WriteString(text)
	return true
}

// summarize writes what fits into room bytes, the overview before the
// previews.
func summarize(p Plan, room int) (string, leftOut) {
	page := &sheet{room: room}
	var left leftOut
	page.add("**Actions**: " + p.counts() + "\n\n")
	if p.Goal != "" {
		left.goal = !page.add("**Goal**: " + CodeSpan(p.Goal) + "\n\n")
	}
	left.lines = addLines(page, p.Actions, actionLine)
	left.notes = addLines(page, p.Notes, func(note string) string { return "- note " + CodeSpan(note) + "\n" })
	page.add("\n")
	for _, a := range p.Actions {
		switch {
		case a.Done != nil || a.Preview == "":
		case len(a.Preview) <= page.room && page.add(previewBlock(a, a.Preview, "")):
		case addBeginning(page, a):
			left.ends++
		default:
			left.previews++
		}
	}
	return page.text.String(), left
}

// addLines writes one line an item until the first that does not fit, and
// returns how many are left.
func addLines[T any](page *sheet, items []T, text func(T) string) int {
	for i, item := range items {
		if !page.add(text(item)) {
			return len(items) - i
		}
	}
	return 0
}

func actionLine(a Action) string {
	text := "- " + CodeSpan(a.ID) + " " + CodeSpan(a.Target)
	if a.Item != "" {
		text += " " + CodeSpan(a.Item)
	}
	if a.Done != nil {
		return text + ": already done, receipt " + CodeSpan(a.Done.Ref) + "\n"
	}
	if a.Within != "" {
		text += " (chosen by the planner; the task names " + CodeSpan(a.Within) + ")"
	}
	text += " by " + CodeSpan(a.Tool) + ", class " + CodeSpan(string(a.DeliveryClass)) + ", risk " + CodeSpan(string(a.Risk))
	if a.Replaces != "" {
		text += ", replaces " + CodeSpan(a.Replaces)
	}
	if a.Preview == "" {
		text += ", without a preview"
	}
	return text + "\n"
}

// previewBlock writes an action's preview, or part of it with a remark.
func previewBlock(a Action, preview, remark string) string {
	return CodeSpan(a.ID) + " " + CodeSpan(a.Target) + remark + "\n\n" + CodeBlock("diff", preview)
}

// addBeginning writes as many whole lines of the preview as fit, at least one.
func addBeginning(page *sheet, a Action) bool {
	lines := strings.SplitAfter(strings.TrimSuffix(a.Preview, "\n"), "\n")
	kept, size := 0, 0
	for kept < len(lines)-1 && size+len(lines[kept]) <= page.room {
		size += len(lines[kept])
		kept++
	}
	for ; kept > 0; kept-- {
		remark := fmt.Sprintf(", the first %d of %d lines", kept, len(lines))
		if page.add(previewBlock(a, strings.Join(lines[:kept], ""), remark)) {
			return true
		}
	}
	return false
}

// CodeSpan writes text as one Markdown code span, in which nothing is markup, and
// out of which no letter moves: it is shown as Show does.
func CodeSpan(text string) string {
	shown := Show(text)
	if strings.TrimSpace(shown) == "" {
		return "(empty)"
	}
	ticks, after := strings.Repeat("`", 1+longestRun(shown)), leading(shown)
	if strings.Trim(shown, "` ") != shown {
		shown = " " + shown + " "
	}
	return ticks + shown + ticks + after
}

// CodeBlock writes text as one fenced block of Markdown, which no line of it ends,
// and an empty line. The language is the program's own word, and may be empty.
func CodeBlock(language, text string) string {
	shown := strings.TrimSuffix(ShowLines(text), "\n")
	fence := strings.Repeat("`", max(3, 1+longestRun(shown)))
	return fence + language + "\n" + shown + "\n" + fence + "\n\n"
}

// longestRun returns the length of the longest run of backticks.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
