package text

import "context"

// MaxBytes bounds a document, and also the text that comes of it.
const MaxBytes = 64 << 20

// Decoded is a document's text and what had to be done to get it.
type Decoded struct {
	// Text is valid UTF-8 without byte order mark, NUL and what a person
	// cannot see; lines end in "\n".
	Text string
	// Encoding is "utf-8", "utf-8-bom", "utf-16le", "utf-16be" or "gb18030"; ""
	// for a format that has its own (DOCX, PDF).
	Encoding  string
	Guessed   bool // nothing in the bytes proves the encoding
	Replaced  int  // bytes, or letters of a PDF, that could not be read, each now U+FFFD
	NULs      int  // NUL characters removed
	Hidden    int  // pieces of text that the format hides or marks as comments, left out
	Invisible int  // invisible characters left out
	// Problem says why there is no text at all; empty when there is.
	Problem string
}

// Decode turns the bytes of a document into text. It never panics. When ctx
// ends while a format is read, Problem says that reading was stopped, which
// says nothing about the document.
//
// HTML: each heading, paragraph, list item and table row stands on the line of
// the file on which its text begins, marked as in Markdown ("## ", "- ",
// "| … | … |"); when one line of the file holds several of them, U+2028 parts
// them. A row of headers is followed by "| --- | … |", parted in the same way.
// Scripts and styles are left out.
//
// DOCX: each heading, paragraph, list item and table row is one line, marked in
// the same way; a line break inside a paragraph makes two. Footnotes stand at
// the end, marked "[^1]: ". Headers, footers and pictures are not read.
//
// PDF: the lines of each page from top to bottom, as the file orders them; an
// empty line parts two pages. Its notes, form fields and attachments are not
// read. Starting its reader may take ten seconds once; the rest at most two
// minutes for a document, within which ctx is heeded at any time.
func Decode(ctx context.Context, mediaType string, data []byte) (d Decoded) {
	// The parsers of HTML, XML and PDF are others', and the input is hostile.
	defer func() {
		if recover() != nil {
			d = Decoded{Problem: "the reader of this format failed on it"}
		}
	}()
	if len(data) > MaxBytes {
		return problem(tooMuch)
	}
	switch mediaType {
	case typeDOCX:
		d = readDOCX(ctx, data)
	case typePDF:
		d = readPDF(ctx, data)
	case typeHTML:
		if d = decodeBytes(data); d.Problem == "" {
			d.Text, d.Hidden, d.Problem = htmlText(ctx, d.Text)
		}
	default:
		d = decodeBytes(data)
	}
	d.seal()
	return d
}

// HTML returns the readable text of a piece of a page that is text already.
func HTML(page string) Decoded {
	var d Decoded
	d.Text, d.Hidden, d.Problem = htmlText(context.Background(), page)
	d.seal()
	return d
}

const (
	tooMuch = "more than 64 MiB"
	stopped = "reading was stopped"
)

func problem(reason string) Decoded { return Decoded{Problem: reason} }

// seal takes out what a person cannot see, and leaves no text beside a problem.
func (d *Decoded) seal() {
	if len(d.Text) > MaxBytes {
		d.Problem = tooMuch + " of text"
	}
	if d.Problem != "" {
		d.Text = ""
		return
	}
	d.Text, d.Invisible = visible(d.Text)
}
