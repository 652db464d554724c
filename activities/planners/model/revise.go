package model

import (
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
)

// lineAboutDocuments is the weight of the line about documents that are not shown,
// and the room that a plan without any document would leave for nothing.
const lineAboutDocuments = 200

// revise puts feedback and the earlier plan into a message that has all else but
// the documents, and returns notes about what there was no room for. Room is what
// the whole message may have.
func (p *Planner) revise(m *userMessage, r planners.Request, room weight) ([]string, error) {
	bare := *m
	if len(r.Feedback) > 0 {
		bare.Feedback, bare.FeedbackLeft = []wish{{Mark: noMark}}, len(r.Feedback)
	}
	if r.Earlier != nil {
		none := earlier{left: len(r.Earlier.Actions)}
		bare.Earlier, bare.EarlierCut = compact(actions.Document{Format: actions.Format, Actions: []actions.Action{}}), none.count()
	}
	text, err := p.render("user", bare)
	if err != nil {
		return nil, err
	}
	left := room - weightOf(text) - lineAboutDocuments
	wished, used, lacking, err := p.chooseWishes(r.Feedback, max(left, 0))
	switch {
	case err != nil:
		return nil, err
	case left < 0 || lacking > 0:
		return nil, permanent("prompt_too_large", "goal, tools and the latest feedback need about %d tokens more than the %d that a question may have; "+
			"allow fewer tools, or raise the planner's input tokens", (lacking - min(left, 0)).tokens(), p.limits.InputTokens)
	}
	m.Feedback, m.FeedbackLeft = wished.shown, len(wished.left)
	notes := wished.notes()
	if r.Earlier != nil {
		e := earlierPlan(*r.Earlier, r.Targets, min(room/4, (left-used)/2))
		m.Earlier, m.EarlierCut = e.text, e.cut
		notes = append(notes, e.notes()...)
	}
	return notes, nil
}
