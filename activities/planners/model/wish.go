package model

import (
	"fmt"
	"slices"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// wish is one person's feedback as the model sees it.
type wish struct {
	Mark string
	Text string
	Cut  string // what is missing; empty when nothing is
}

// wishes is what was done with the feedback of a revision.
type wishes struct {
	shown []wish   // oldest first
	left  []string // how those begin that are not shown, oldest first
}

// chooseWishes takes feedback, the latest first and each whole, for as long as it
// fits into half of room: the earlier plan and the documents have the rest. The
// latest is shown in any case, and cut when it is longer than that. When there is not
// even room for the beginning of it, lacking is how much more it takes.
func (p *Planner) chooseWishes(feedback []string, room weight) (w wishes, used, lacking weight, err error) {
	share := room / 2
	for i, text := range slices.Backward(feedback) {
		one := wish{Mark: noMark, Text: readable(text)}
		frame, err := p.wishFrame(one)
		if err != nil {
			return w, 0, 0, err
		}
		whole := weightOf(one.Text)
		if i == len(feedback)-1 {
			least := frame + min(whole, leastShare)
			if least > room {
				return w, 0, least - room, nil
			}
			share = max(share, least)
			if frame+whole > share {
				one.Text, one.Cut = cutText(one.Text, countLines(one.Text), share-frame)
				whole = weightOf(one.Text)
			}
		}
		if used+frame+whole > share {
			for _, text := range feedback[:i+1] {
				w.left = append(w.left, beginning(text))
			}
			break
		}
		used += frame + whole
		w.shown = append(w.shown, one)
	}
	slices.Reverse(w.shown)
	return w, used, 0, nil
}

// wishFrame is the weight of the border lines of a feedback, at most.
func (p *Planner) wishFrame(w wish) (weight, error) {
	lines := countLines(w.Text)
	text, err := p.render("feedback", wish{Mark: noMark, Cut: cutWithin(lines, lines)})
	return weightOf(text) + 2, err // the blank line between two
}

// beginning is how people tell a feedback from others.
func beginning(text string) string { return fmt.Sprintf("“%s”", plan.Escape(plan.Clip(text, 60))) }

// notes say what of it the model was not given.
func (w wishes) notes() []string {
	var notes []string
	if len(w.left) > 0 {
		notes = append(notes, fmt.Sprintf("of %d feedbacks the model was given the latest %d, to keep within its tokens; not given: %s",
			len(w.left)+len(w.shown), len(w.shown), some(w.left)))
	}
	if len(w.shown) > 0 && w.shown[len(w.shown)-1].Cut != "" {
		notes = append(notes, "the latest feedback was given to the model in part, to keep within its tokens: "+w.shown[len(w.shown)-1].Cut)
	}
	return notes
}
