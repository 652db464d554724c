package outline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
)

// topic is one document, understood.
type topic struct {
	doc       planners.Document // with its text while the topic is being read
	title     string
	titleLine int // 0 when the title is the file's name
	chinese   bool
	blocks    []block // while the topic is being read
	entries   []entry
	slug      string // of its page
	broken    bool   // it is not of the form that its name says, and was read as plain text
	cut       bool   // it has more lines than are read
	unfronted bool   // what could be its front matter is too long to be read as such
}

// readTopic understands a document, whose text is in memory. asked is the week
// that the task names, or the zero week.
func readTopic(doc planners.Document, asked week) topic {
	t := topic{doc: doc, chinese: isChinese(doc.Text)}
	front := t.readBlocks()
	t.unfronted = front.tooLong
	t.findTitle(front)
	c := makeCalendar(doc.Path, t.blocks, asked)
	t.entries = findEntries(t.blocks, c, baseDate(doc, front))
	return t
}

// readBlocks reads the document in the form that its media type promises, and
// as plain text when it breaks the promise.
func (t *topic) readBlocks() frontMatter {
	t.doc.Text, t.cut = firstPieces(t.doc.Text)
	front, err := t.readForm()
	if err != nil {
		t.broken = true
		t.blocks = readPlain(t.doc.Text)
	}
	return front
}

func (t *topic) readForm() (front frontMatter, err error) {
	// The parsers of Markdown and YAML are others', and documents are anybody's.
	defer func() {
		if reason := recover(); reason != nil {
			front, err = frontMatter{}, fmt.Errorf("the parser failed: %v", reason)
		}
	}()
	switch t.doc.MediaType {
	case "text/markdown":
		t.blocks, front, err = readMarkdown(t.doc.Text)
	case "text/html", "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
		t.blocks, t.broken = readLines(t.doc.Text), hasManyBars(t.doc.Text)
	case "text/csv":
		t.blocks, err = readCSV(t.doc.Text)
	case "application/json":
		t.blocks, err = readJSON(t.doc.Text)
	case "application/yaml":
		t.blocks, err = readYAML(t.doc.Text)
	default:
		t.blocks, t.broken = readPlain(t.doc.Text), hasManyBars(t.doc.Text)
	}
	return front, err
}

// release lets go of what only a topic's own page is made of, also of the text
// of which its entries are pieces.
func (t *topic) release() {
	t.doc.Text, t.blocks = "", nil
	t.title = strings.Clone(t.title)
	for i := range t.entries {
		t.entries[i].text = strings.Clone(t.entries[i].text)
	}
	t.entries = slices.Clip(t.entries)
}

// findTitle takes the front matter's title; else the first heading, when it
// stands above all else and is not a date; else, in plain text, a first line
// that stands alone; else a record's title or name; else the file's name.
func (t *topic) findTitle(front frontMatter) {
	t.title = path.Base(t.doc.Path)
	if front.title != "" {
		t.title, t.titleLine = front.title, front.titleLine
		return
	}
	for i, b := range t.blocks {
		switch {
		case b.kind == heading && isProse(t.doc) && datedHeading(b.text, makeDay(2000, 1, 1)).isZero(),
			i == 0 && b.kind == paragraph && t.doc.MediaType == "text/plain" && b.first == b.last && standsAlone(t.doc.Text, b),
			b.kind == field && b.level == 1 && slices.Contains([]string{"title", "name", "标题", "名称"}, strings.ToLower(b.header[0])):
			t.title, t.titleLine = b.text, b.first
			if b.kind == field {
				t.title = b.cells[0]
			}
			return
		case b.kind == heading && isProse(t.doc):
			return
		}
	}
}

func isProse(doc planners.Document) bool {
	return doc.MediaType != "application/json" && doc.MediaType != "application/yaml" && doc.MediaType != "text/csv"
}

// standsAlone reports whether a line of plain text has the look of a title:
// short, without a full stop, and with nothing right below it.
func standsAlone(text string, b block) bool {
	lines := strings.Split(text, "\n")
	below := ""
	if b.last < len(lines) {
		below = strings.TrimSpace(lines[b.last])
	}
	return below == "" && columns(b.text) <= 80 && !strings.HasSuffix(b.text, ".") && !strings.HasSuffix(b.text, "。")
}

// baseDate is the date of the whole document: that of its front matter, or one
// that its file name begins or ends with.
func baseDate(doc planners.Document, front frontMatter) when {
	if w, at, _ := dated(front.date, day{}); at == leading {
		return w
	}
	base := path.Base(doc.Path)
	return datedHeading(strings.TrimSuffix(base, path.Ext(base)), day{})
}

// name is how a topic's document is called in links and notes.
func (t topic) name() string { return t.doc.Source + "/" + t.doc.Path }
