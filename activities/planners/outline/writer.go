package outline

import (
	"fmt"
	"path"
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// maxDraftBytes bounds all pages together. A plan carries each page twice, as
// it is and as a diff, within plan.MaxBytes.
const maxDraftBytes = plan.MaxBytes * 3 / 8

// maxNamed bounds the documents that an action names, as the format for actions
// from outside does (actions.schema.json). The page itself lists all.
const maxNamed = 100

// writer makes pages of documents.
type writer struct {
	target planners.Target
	links  links
	asked  week // that the task names, or the zero week

	topics []topic
	bodies []body // of the topics' pages, beside topics; none when links.alone
	total  int    // bytes of all pages so far
	dated  int    // entries of all topics so far

	empty, broken, cut, unfronted, invisible planners.Tally
}

// topicPage writes the page of the topic that is read next. Where it goes is
// known when all are read: see giveSlugs.
func (w *writer) topicPage(t topic) error {
	b, err := w.body(topicPage(t, w.links), len(w.bodies)+1)
	w.bodies = append(w.bodies, b)
	return err
}

// body is what is on a page. It refuses more than one plan can carry; the fault
// names the number of documents that it was made of.
func (w *writer) body(p *page, documents int) (body, error) {
	b := body{title: p.title, content: p.markdown()}
	if w.total += len(b.content); w.total > maxDraftBytes {
		return b, refuse("outline_too_large", fmt.Sprintf(
			"the pages of %d documents have more than the %d bytes that one plan carries; %s", documents, maxDraftBytes, narrow))
	}
	return b, nil
}

// write proposes the pages, the index last, because it links to all the others.
func (w *writer) write(report week) ([]planners.DraftAction, error) {
	if w.links.alone {
		return w.one(report)
	}
	ws := wordsFor(mostlyChinese(w.topics))
	var actions []planners.DraftAction
	if !report.isZero() {
		b, err := w.body(weeklyPage(report, w.topics, ws, w.links), len(w.topics))
		if err != nil {
			return nil, err
		}
		actions = append(actions, w.action(actionID("weekly-", strings.ToLower(report.String())), weeklyPath(report), b, reported(report, w.topics)))
	}
	for i, t := range w.topics {
		actions = append(actions, w.action(actionID("topic-", t.slug), topicPath(t), w.bodies[i], w.topics[i:i+1]))
	}
	b, err := w.body(indexPage(report, w.topics, ws, w.links), len(w.topics))
	if err != nil {
		return nil, err
	}
	index := w.action("index", indexPath, b, nil) // it is made of all, and says so
	for _, a := range actions {
		index.DependsOn = append(index.DependsOn, a.ID)
	}
	return append(actions, index), nil
}

// one proposes the one page that the task allows: the weekly report, or, when
// nothing is dated, the index. It links to no other page, for there is none.
func (w *writer) one(report week) ([]planners.DraftAction, error) {
	ws := wordsFor(mostlyChinese(w.topics))
	p, of := indexPage(report, w.topics, ws, w.links), w.topics
	if !report.isZero() {
		p, of = weeklyPage(report, w.topics, ws, w.links), reported(report, w.topics)
	}
	b, err := w.body(p, len(w.topics))
	if err != nil {
		return nil, err
	}
	folder, name := path.Split(w.target.Name)
	w.target.Name = strings.TrimSuffix(folder, "/")
	return []planners.DraftAction{w.action(actionID("page-", strings.ToLower(strings.TrimSuffix(name, ".md"))), name, b, of)}, nil
}

// action proposes to write a page that is made of these topics.
func (w *writer) action(id, path string, b body, of []topic) planners.DraftAction {
	a := planners.DraftAction{ID: id, Proposal: b.proposal(path, w.target)}
	for _, t := range of[:min(len(of), maxNamed)] {
		a.Documents = append(a.Documents, t.name())
	}
	return a
}

func mostlyChinese(topics []topic) bool {
	n := 0
	for _, t := range topics {
		if t.chinese {
			n++
		}
	}
	return 2*n > len(topics)
}
