package outline

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

const indexPath = "index.md"

// indexPage links the weekly report, when there is one, and every topic.
func indexPage(report week, topics []topic, ws words, l links) *page {
	p := &page{path: indexPath, title: ws.index, words: ws, links: l}
	p.head(1, ws.index)
	p.weeks(report, topics)
	p.topics(topics)
	p.blank()
	p.sources(topics)
	return p
}

// weeks lists the weeks of which the documents report, newest first. Only the
// report of this plan is linked; earlier ones are in the folder.
func (p *page) weeks(report week, topics []topic) {
	count := map[week]int{}
	for _, t := range topics {
		for _, e := range t.entries {
			count[e.when.inWeek()]++
		}
	}
	if report.isZero() {
		return
	}
	p.head(2, p.words.weeks)
	p.add(fmt.Sprintf("- [%s](%s)%s%s", fmt.Sprintf(p.words.weekly, report), p.to(weeklyPath(report)), p.words.colon, p.words.span(report)))
	p.add(fmt.Sprintf("- [%s](weekly/)", p.words.allWeeks))
	p.head(3, p.words.byWeek)
	p.add("| "+p.words.week+" | "+p.words.entries+" |", "|---|---:|")
	const shown = 12
	listed := slices.SortedFunc(maps.Keys(count), func(a, b week) int { return strings.Compare(b.String(), a.String()) })
	for i, w := range listed {
		if i == shown {
			p.blank()
			p.add(fmt.Sprintf(p.words.cutList, len(listed)-shown))
			break
		}
		p.add(fmt.Sprintf("| %s | %d |", w, count[w]))
	}
}

// topics lists the topics by folder.
func (p *page) topics(topics []topic) {
	p.head(2, p.words.topics)
	folders := map[string][]topic{}
	for _, t := range topics {
		folder := path.Dir(t.name())
		folders[folder] = append(folders[folder], t)
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if len(folders) > 1 {
			p.head(3, quote(folder, maxTitle, p.words))
		}
		for _, t := range folders[folder] {
			source := p.links.document(t)
			if t.titleLine > 0 {
				source = p.links.at(t, t.titleLine, t.titleLine, true)
			}
			p.add("- " + p.topicLink(t) + p.words.colon + p.newest(t) + " " + source)
		}
	}
}

func (p *page) newest(t topic) string {
	if len(t.entries) == 0 {
		return p.words.noEntries
	}
	latest := t.entries[0].when
	for _, e := range t.entries {
		if latest.first().before(e.when.first()) {
			latest = e.when
		}
	}
	return fmt.Sprintf(p.words.latest, len(t.entries), latest)
}
