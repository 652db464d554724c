package outline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

const narrow = "narrow the task's include and exclude globs, or run it for one folder at a time"

// others are the pages that are of no one document: the index and the weekly
// report.
const others = 2

// maxDocuments is how many documents can have a page.
const maxDocuments = plan.MaxActions - others

// read understands the documents, in the order of their paths, whatever the
// order in which they came. The text of one at a time is in memory, and what
// cannot become one plan is refused as soon as that is known.
func (w *writer) read(ctx context.Context, documents []planners.Document) error {
	size := int64(0)
	for _, d := range documents {
		size += d.Size
	}
	if err := withinBounds(len(documents), size); err != nil {
		return err
	}
	documents = slices.SortedFunc(slices.Values(documents), func(a, b planners.Document) int {
		return strings.Compare(a.Source+"/"+a.Path, b.Source+"/"+b.Path)
	})
	size = 0
	for _, d := range documents {
		if ctx.Err() != nil {
			return faults.Name(ctx.Err())
		}
		var err error
		if d.Text, err = d.Load(ctx); err != nil {
			return err
		}
		d.Read = nil
		size += int64(len(d.Text))
		if err := withinBounds(len(documents), size); err != nil {
			return err
		}
		if err := w.topic(d); err != nil { //nolint:contextcheck // a page within a text is short, and reading it waits for nothing
			return err
		}
	}
	if len(w.topics) == 0 {
		return refuse("outline_empty", "no document has text to make pages from; correct the task's source")
	}
	giveSlugs(w.topics)
	return nil
}

// withinBounds refuses more than one plan, or the worker's memory, can hold.
func withinBounds(documents int, size int64) error {
	switch {
	case documents > maxDocuments:
		return refuse("outline_too_many", fmt.Sprintf(
			"%d documents would need more than the %d actions of one plan; %s", documents, plan.MaxActions, narrow))
	case size > maxReadBytes:
		return refuse("outline_too_large", fmt.Sprintf(
			"the %d documents have more than the %d bytes of text that one plan is made of; %s", documents, maxReadBytes, narrow))
	}
	return nil
}

// topic understands one document, and writes its page.
func (w *writer) topic(d planners.Document) error {
	name := plan.Escape(plan.Clip(d.Source+"/"+d.Path, maxNameBytes))
	if strings.TrimSpace(d.Text) == "" {
		w.empty.Add(name)
		return nil
	}
	t := readTopic(d, w.asked)
	if t.broken {
		w.broken.Add(name)
	}
	if t.cut {
		w.cut.Add(name)
	}
	if t.unfronted {
		w.unfronted.Add(name)
	}
	if n := countInvisible(t.doc.Text); n > 0 {
		w.invisible.Add(fmt.Sprintf("%s (%d)", name, n))
	}
	if !w.links.alone {
		if err := w.topicPage(t); err != nil {
			return err
		}
	}
	t.release()
	w.topics = append(w.topics, t)
	if w.dated += len(t.entries); w.dated > maxEntries {
		return refuse("outline_too_large", fmt.Sprintf(
			"%d documents have more than the %d dated entries that one plan is made of; %s", len(w.topics), maxEntries, narrow))
	}
	return nil
}

// maxNameBytes bounds a document's name in a note.
const maxNameBytes = 200

// notes say what a reader of the pages should know of the documents.
func (w *writer) notes() []string {
	var notes []string
	for _, about := range []struct {
		documents *planners.Tally
		what      string
	}{
		{&w.empty, "without text, so without a page"},
		{&w.broken, "not in the form that the name says, or beyond measure in it, and so read as plain text"},
		{&w.cut, fmt.Sprintf("read in the first %d lines alone (of HTML, headings, paragraphs, items and rows)", maxPieces)},
		{&w.unfronted, fmt.Sprintf("whose front matter has more than %d bytes, and so was read as a part of the text", maxFrontMatter)},
		{&w.invisible, "with invisible characters, which pages show as escapes"},
	} {
		if about.documents.Len() > 0 {
			notes = append(notes, about.what+": "+about.documents.String())
		}
	}
	return notes
}

// countInvisible counts what pages show as escapes.
func countInvisible(text string) int {
	n := 0
	for _, r := range emojiForms.Replace(text) {
		if !plainly(r) && string(r) != blockBreak && plan.Escape(string(r)) != string(r) {
			n++
		}
	}
	return n
}

// plainly reports whether r is one of the many that need no closer look.
func plainly(r rune) bool {
	return ' ' <= r && r <= '~' || '\u4E00' <= r && r <= '\u9FFF' || r == '\n' || r == '\t'
}
