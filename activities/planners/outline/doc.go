// Package outline is the planner that works offline: it reads documents,
// quotes them, and proposes pages of a knowledge base. It neither guesses nor
// writes a sentence of its own, and the same documents give the same pages,
// byte for byte, on every machine. It reads no clock.
//
// # Pages
//
//	weekly/2026-W48.md   what was done, decided, planned, blocked and noted, topic by topic
//	topics/SLUG.md       one for each document: what it is about, and all its dated entries
//	index.md             links to all of these
//
// Every line that states something quotes a document word for word and links
// the file and its lines. The planner's own words (headings, names of days)
// are in the language of the document, English or Chinese, on a topic's pages
// and sections, and in that of most documents elsewhere.
//
// A link has the form source:ROOT/PATH#L12-L14: ROOT is the name of a source
// root, PATH the manifest's path, percent-encoded where a link needs it. The
// pages live in another repository than the documents, and nobody can say here
// where a reader has those; but the link's text is PATH:12, which editors and
// terminals open, each page lists the SHA-256 of the documents it quotes, and
// [Planner.SourceURLs] turns the links into those of a web server. Line numbers
// are those of the file; for HTML they are where an element's text begins.
//
// # Entries
//
// An entry is a list item, a paragraph, a row of a table, a record in a list of
// CSV, JSON or YAML, or a line of plain text, that is dated:
//
//  1. by a date at its beginning ("2026-11-24: …") or alone in brackets at its
//     end ("… (2026-11-24)"); a row by a column of dates, or its first cell;
//  2. else by what it stands under: a list item or a line that is only a date, a
//     heading that a date begins or ends, the document's front matter or file
//     name;
//  3. else by the first date in its text.
//
// A dated heading with words and nothing under it is an entry itself. A line
// that is only a label ("Blockers:", "**Done**") is none, but what follows it
// is of that kind. Code and comments hold no entries.
//
// Dates: 2026-11-24, 2026/11/24, 2026.11.24, 2026年11月24日, 11月24日, 24 November
// 2026, Nov 24, 2026, 24 Nov, and, for headings, 2026-W48 and 2026年第48周. A date
// without a year is the one nearest to the last full date before it in the
// document, or the first after it; else it is of a year named in the path, in a
// heading or before 年; else of the week asked for; else it is no date. Times of
// day and time zones are not converted: a day is the day that was written down.
//
// # Kinds
//
// An entry's kind comes from, in this order: a label at its beginning ("done:",
// "决定："), a check box, or a column of states; a label or heading that it stands
// under; the first marker word in it (see the table in kind.go); the item that
// it details. An entry without any is noted. The words are a heuristic: "two
// years for a fixed price" counts as done. Whoever wants to be sure writes a
// label.
//
// # The week
//
// The week of the report is the one that an approver's feedback names, else the
// goal, else the business id, as 2026-W48 or 2026年第48周. Without any it is the
// latest of which anything but plans is reported, by dates of rule 1 or 2. When
// nothing is, no weekly report is proposed, and a note says so.
//
// # What quoting does
//
// Quoted text is put on one line and escaped, so that it shows as plain text in
// every Markdown reader: it makes no link, image, heading, HTML or template.
// What cannot be seen stands there as plan.Escape writes it, and a note counts
// it. Long quotes, long lists and pages over 1 MiB are cut, and each cut says
// how much it left out.
//
// # Bounds
//
// Documents are read one after the other, and only their entries are kept. A
// plan is made of at most 998 documents, 64 MiB of text and 6 MiB of pages; more
// is refused, as soon as it is known, with a fault that says what to do. Of a
// document at most 200,000 lines are read. JSON and YAML that nest deeper than
// 100 levels or have more than 200,000 values, tables of more than a million
// cells, and Markdown that would keep its parser busy for long or fill its
// memory, are read as plain text; front matter of more than 64 KiB is read as a
// part of the text. A note names these documents. With these bounds no document
// of 16 MiB takes more than 220 MB beside its text. Documents with more than 500,000
// entries in all are refused.
//
// An action names the documents that its page is made of, at most 100; the index
// names none, because it is made of all.
package outline
