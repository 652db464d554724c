package model

import (
	"context"
	"fmt"
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

// choose takes the documents that there is room for, by the rule at Limits. It
// loads one after the other, and none behind the first that does not fit. Of the
// texts it keeps no more than room, beside the one at hand.
func (p *Planner) choose(ctx context.Context, documents []planners.Document, room weight) (choice, error) {
	s := shelf{planner: p, room: room}
	for _, d := range documents {
		text, err := d.Load(ctx)
		if err != nil {
			return choice{}, err
		}
		fits, err := s.take(d, text)
		if err != nil {
			return choice{}, err
		}
		if !fits {
			break
		}
	}
	c := s.choice()
	for _, d := range documents[len(c.shown):] {
		c.left = append(c.left, shortName(d))
	}
	return c, nil
}

// frame is the weight of the border lines, at most, of a document of so many
// lines.
func (p *Planner) frame(e excerpt, lines int) (weight, error) {
	e.Mark, e.Text, e.Cut = noMark, "", cutWithin(lines, lines)
	text, err := p.render("document", e)
	return weightOf(text) + 2, err // the blank line between two
}

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
