package outline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// weeklyPage reports one week, topic by topic.
func weeklyPage(w week, topics []topic, ws words, l links) *page {
	p := &page{path: weeklyPath(w), title: fmt.Sprintf(ws.weekly, w), words: ws, links: l}
	topics = reported(w, topics)
	total := 0
	for _, t := range topics {
		total += len(t.ofWeek(w))
	}
	p.head(1, p.title)
	p.add(fmt.Sprintf(ws.summary, ws.span(w), total, len(topics)), "")
	p.table(w, topics)
	for _, t := range topics {
		p.report(w, t)
	}
	p.blank()
	p.sources(topics)
	return p
}

// reported returns the topics that have entries of a week.
func reported(w week, topics []topic) []topic {
	return slices.DeleteFunc(slices.Clone(topics), func(t topic) bool { return len(t.ofWeek(w)) == 0 })
}

func weeklyPath(w week) string { return "weekly/" + w.String() + ".md" }

// table counts the entries by topic and kind.
func (p *page) table(w week, topics []topic) {
	head, rule := "| "+p.words.topic, "|---"
	for _, k := range kinds() {
		head += " | " + p.words.kinds[k]
		rule += "|---:"
	}
	p.add(head+" |", rule+"|")
	for _, t := range topics {
		cells := []string{p.topicLink(t)}
		for _, k := range kinds() {
			cells = append(cells, countCell(len(t.ofKind(k, t.ofWeek(w)))))
		}
		p.add("| " + strings.Join(cells, " | ") + " |")
	}
}

// countCell leaves a zero out, so that the eye finds what is there.
func countCell(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (p *page) topicLink(t topic) string {
	if p.links.alone {
		return quote(t.title, maxTitle, p.words)
	}
	return "[" + quote(t.title, maxTitle, p.words) + "](" + p.to(topicPath(t)) + ")"
}

// report writes one topic's week in the topic's own language.
func (p *page) report(w week, t topic) {
	ws := wordsFor(t.chinese)
	p.head(2, p.topicLink(t))
	for _, k := range kinds() {
		chosen := t.ofKind(k, t.ofWeek(w))
		if len(chosen) == 0 {
			continue
		}
		p.head(3, ws.kinds[k])
		listed := map[int]bool{}
		for _, i := range chosen {
			listed[i] = true
			e := t.entries[i]
			line := "- **" + ws.shortDay(e.when) + "**" + ws.colon
			if listed[e.parent] {
				line = "  - " // a detail of the entry above
			}
			p.add(line + quote(e.text, maxQuote, ws) + " " + p.links.at(t, e.first, e.last, false))
		}
	}
}

// ofWeek returns the places of a week's entries, by day and then as they stand.
func (t topic) ofWeek(w week) []int {
	var chosen []int
	for i, e := range t.entries {
		if e.when.inWeek() == w {
			chosen = append(chosen, i)
		}
	}
	slices.SortStableFunc(chosen, func(a, b int) int {
		return cmp.Compare(t.entries[a].when.first().t.Unix(), t.entries[b].when.first().t.Unix())
	})
	return chosen
}

// ofKind keeps, of the entries at these places, those of one kind.
func (t topic) ofKind(k kind, places []int) []int {
	var chosen []int
	for _, i := range places {
		if t.entries[i].kind == k {
			chosen = append(chosen, i)
		}
	}
	return chosen
}
