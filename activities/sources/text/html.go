package text

import (
	"context"
	"errors"
	"io"

	"golang.org/x/net/html"
)

// maxHTMLPiece bounds one tag, comment or text of a page.
const maxHTMLPiece = 8 << 20

// HTML returns the readable text of a piece of a page that is text already.
func HTML(page string) Decoded {
	d, err := withinTime(context.Background(), maxTime, func(ctx context.Context) (Decoded, error) {
		return readHTML(ctx, Decoded{Text: page}), nil
	})
	if err != nil {
		return problem(err.Error()) // the background does not end
	}
	d.seal()
	return d
}

// readHTML puts in the place of a page, d.Text, what of it is read.
func readHTML(ctx context.Context, d Decoded) Decoded {
	reduced := newReducedPage(ctx, d.Text)
	root, err := html.Parse(reduced)
	if reduced.err != nil && !errors.Is(reduced.err, io.EOF) {
		err = reduced.err
	} else if err != nil {
		err = errors.New("elements nested deeper than 512")
	}
	if err != nil {
		return problem("HTML that cannot be read: " + err.Error())
	}
	w := htmlWriter{reducedPage: reduced, font: defaultFont}
	w.lines.out.Grow(reduced.size + reduced.line) // growing later would copy
	w.node(root)
	w.flush()
	if w.lines.size > MaxBytes {
		return problem(tooMuch + " of text")
	}
	d.Text, d.Hidden = w.lines.text(reduced.line), reduced.hidden
	return d
}
