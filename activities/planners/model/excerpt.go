package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// leastShare is what a document gets at least, or it is left out: less of one
// says little.
const leastShare = 200 * perToken

// excerpt is a document as the model sees it.
type excerpt struct {
	Mark      string
	Name      string // "source/path" as a JSON string
	MediaType string
	Text      string
	Cut       string // what is missing; empty when nothing is
}

// choice is what was done with the documents.
type choice struct {
	shown []excerpt
	cut   []string // names of those in shown that were cut, with how much is there
	left  []string // names of those that are not shown
}

// choose takes the documents that there is room for, by the rule at Limits.
func (p *Planner) choose(documents []planners.Document, room weight) (choice, error) {
	var c choice
	frames := weight(0)
	texts := make([]weight, 0, len(documents))
	needed := weight(0)
	for i, d := range documents {
		e := excerpt{Name: quoted(actions.Name(d)), MediaType: readable(d.MediaType), Text: strings.TrimSuffix(readable(d.Text), "\n")}
		frame, err := p.frame(e)
		if err != nil {
			return c, err
		}
		text := weightOf(e.Text)
		if needed += frame + min(text, leastShare); needed > room {
			for _, d := range documents[i:] {
				c.left = append(c.left, shortName(d))
			}
			break
		}
		frames += frame
		texts = append(texts, text)
		c.shown = append(c.shown, e)
	}
	share := shareOf(texts, room-frames)
	for i := range c.shown {
		if texts[i] <= share {
			continue
		}
		e := &c.shown[i]
		e.Text, e.Cut = cutText(e.Text, share)
		c.cut = append(c.cut, shortName(documents[i])+" ("+e.Cut+")")
	}
	return c, nil
}

// frame is the weight of a document's border lines at most.
func (p *Planner) frame(e excerpt) (weight, error) {
	all := strings.Count(e.Text, "\n") + 1
	e.Mark, e.Text, e.Cut = strings.Repeat("0", markLength), "", cutWithin(all, all)
	text, err := p.render("document", e)
	return weightOf(text) + 2, err // the blank line between two
}

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
// first when not even that fits. cut says in words what is there; it is empty
// when all is.
func cutText(text string, room weight) (kept, cut string) {
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
	switch all := strings.Count(text, "\n") + 1; {
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

func cutAfter(line, all int) string  { return fmt.Sprintf("cut after line %d of %d", line, all) }
func cutWithin(line, all int) string { return fmt.Sprintf("cut within line %d of %d", line, all) }

// shortName is a document's name for people, in one line.
func shortName(d planners.Document) string { return plan.Escape(plan.Clip(actions.Name(d), 200)) }

// notes say what the model was not given.
func (c choice) notes(tokens int) []string {
	if len(c.cut)+len(c.left) == 0 {
		return nil
	}
	notes := []string{fmt.Sprintf("of %d documents the model was given %d whole, %d in part and %d not at all, to keep within about %d tokens",
		len(c.shown)+len(c.left), len(c.shown)-len(c.cut), len(c.cut), len(c.left), tokens)}
	if len(c.cut) > 0 {
		notes = append(notes, "given in part: "+some(c.cut))
	}
	if len(c.left) > 0 {
		notes = append(notes, "not given: "+some(c.left))
	}
	return notes
}

// some lists the first of many names.
func some(names []string) string {
	const shown = 20
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
