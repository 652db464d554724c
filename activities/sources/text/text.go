package text

import (
	"context"
	"time"
)

// MaxBytes bounds a document, and also the text that comes of it.
const MaxBytes = 64 << 20

// Decoded is a document's text and what had to be done to get it.
type Decoded struct {
	// Text is valid UTF-8 without byte order mark, NUL and what a person
	// cannot see; lines end in "\n".
	Text string
	// Encoding is "utf-8", "utf-8-bom", "utf-16le", "utf-16be" or "gb18030"; ""
	// for a format that has its own (DOCX, PDF). Of a document whose charset was
	// told it may be any other of the WHATWG Encoding Standard's names.
	Encoding  string
	Guessed   bool // nothing in the bytes proves the encoding
	Replaced  int  // bytes, or letters of a PDF, that could not be read, each now U+FFFD
	NULs      int  // NUL characters removed
	Hidden    int  // pieces of text that the format hides or marks as comments, left out
	Invisible int  // invisible characters left out
	// Problem says why there is no text at all; empty when there is.
	Problem string
}

// Decode turns the bytes of a document into text. It never panics. An error says
// nothing about the document: it is that of ctx, or a *faults.Fault for trouble
// of this machine, after which the same document may be read.
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
// read. One is read at a time: others wait for their turn, and the first for
// its reader to start, which may take ten seconds.
//
// Reading HTML, DOCX or PDF takes at most two minutes, within which ctx is
// heeded.
func Decode(ctx context.Context, mediaType string, data []byte) (Decoded, error) {
	return DecodeAs(ctx, mediaType, "", data)
}

// DecodeAs is Decode for a document of which somebody says in which charset it
// is, such as the server that sent it; empty when nobody does. A format with an
// encoding of its own takes no heed of it.
func DecodeAs(ctx context.Context, mediaType, charset string, data []byte) (d Decoded, err error) {
	// The parsers of HTML, XML and PDF are others', and the input is hostile.
	defer func() {
		if recover() != nil {
			d, err = problem("the reader of this format failed on it"), nil
		}
	}()
	if len(data) > MaxBytes {
		return problem(tooMuch), nil
	}
	switch mediaType {
	case typeDOCX:
		d, err = withinTime(ctx, maxTime, func(ctx context.Context) (Decoded, error) { return readDOCX(ctx, data), nil })
	case typePDF:
		d, err = readPDF(ctx, data)
	case typeHTML:
		if d = decodeSaid(data, charset); d.Problem == "" {
			d, err = withinTime(ctx, maxTime, func(ctx context.Context) (Decoded, error) { return readHTML(ctx, d), nil })
		}
	default:
		d = decodeSaid(data, charset)
	}
	if err != nil {
		return Decoded{}, err
	}
	d.seal()
	return d, nil
}

// maxTime is what reading one document may take, the wait for a turn and for a
// reader to start not counted. What the formats' own limits leave takes a
// fraction of it.
const maxTime = 2 * time.Minute

// withinTime gives read a context that ends after limit, or with ctx. What read
// returns after that is not used.
func withinTime(ctx context.Context, limit time.Duration, read func(context.Context) (Decoded, error)) (Decoded, error) {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	d, err := read(timed)
	switch {
	case ctx.Err() != nil:
		return Decoded{}, ctx.Err()
	case timed.Err() != nil:
		return problem("it takes too long to read: the limit is " + limit.String()), nil
	}
	return d, err
}

const tooMuch = "more than 64 MiB"

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
