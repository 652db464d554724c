package model

import (
	"strings"
	"unicode/utf8"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
)

// shelf holds what may be shown of documents, while it is not known how many
// there will be. Each further document leaves less for the others: a share only
// falls. So what is over the share of the moment is never shown, and not kept.
type shelf struct {
	planner *Planner
	room    weight // for all texts and frames
	needed  weight // what the documents taken need at least, and the one that was not
	frames  weight
	kept    weight // of the texts as they stand here: never over room between two documents
	taken   []taken
}

// taken is a document that will be shown.
type taken struct {
	excerpt // of the text the whole, or a beginning that is longer than its share

	document string // its name, for people
	lines    int    // of the whole text
	whole    weight // of the whole text
	kept     weight // of what stands here
}

// take takes a document by its text, or reports that there is no room for it: then
// there is none for any after it.
func (s *shelf) take(d planners.Document, text string) (fits bool, err error) {
	t := taken{document: shortName(d), excerpt: excerpt{
		Name: quoted(actions.Name(d)), MediaType: readable(d.MediaType), Text: strings.TrimSuffix(readable(text), "\n"),
	}}
	t.lines, t.whole = countLines(t.Text), weightOf(t.Text)
	t.kept = t.whole
	frame, err := s.planner.frame(t.excerpt, t.lines)
	if err != nil {
		return false, err
	}
	if s.needed += frame + min(t.whole, leastShare); s.needed > s.room {
		return false, nil
	}
	s.frames += frame
	s.kept += t.whole
	s.taken = append(s.taken, t)
	if s.kept > s.room {
		s.shorten()
	}
	return true, nil
}

// share is the most that each of the texts may have by now.
func (s *shelf) share() weight {
	whole := make([]weight, len(s.taken))
	for i, t := range s.taken {
		whole[i] = t.whole
	}
	return shareOf(whole, s.room-s.frames)
}

func (s *shelf) shorten() {
	share := s.share()
	s.kept = 0
	for i := range s.taken {
		s.taken[i].shorten(share)
		s.kept += s.taken[i].kept
	}
}

// shorten takes off what is over a share, but for one letter: by that it is seen
// where the share ends.
func (t *taken) shorten(share weight) {
	end, kept := len(t.Text), t.kept
	for end > 0 {
		last, size := utf8.DecodeLastRuneInString(t.Text[:end])
		if kept-weightOfRune(last) <= share {
			break
		}
		end, kept = end-size, kept-weightOfRune(last)
	}
	if end < len(t.Text) {
		t.Text, t.kept = strings.Clone(t.Text[:end]), kept // a part of a string would keep all of it
	}
}

// choice is what is shown by the shares at the end.
func (s *shelf) choice() choice {
	var c choice
	share := s.share()
	for _, t := range s.taken {
		if t.whole > share {
			t.Text, t.Cut = cutText(t.Text, t.lines, share)
			c.cut = append(c.cut, t.document+" ("+t.Cut+")")
		}
		c.shown = append(c.shown, t.excerpt)
	}
	return c
}
