package text

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// Limits of a PDF.
const (
	maxPDFPages   = 2_000
	maxPDFLetters = 1_000_000 // of one page
	maxPDFObjects = 200_000   // of the pages that one instance reads
	maxPDFTime    = 2 * time.Minute

	// pagesAtOnce is how many pages one instance reads; what the library keeps
	// of a page is freed with its instance.
	pagesAtOnce = 20
)

// errPDFLimit is returned for what goes past one of the limits above.
var errPDFLimit = errors.New("it goes past a limit: 2,000 pages, 1,000,000 letters or 200,000 objects")

// pdfText is what came of the pages read so far.
type pdfText struct {
	out      strings.Builder
	hidden   int // pieces of text that are not seen
	replaced int // letters whose font does not say what they are
}

// addPage adds a page's lines, and an empty one before them unless it is the
// first.
func (t *pdfText) addPage(page string) {
	before := t.out.Len()
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, " \n")
		if line == "" {
			continue
		}
		if t.out.Len() == before && before > 0 {
			t.out.WriteByte('\n')
		}
		t.out.WriteString(line)
		t.out.WriteByte('\n')
	}
}

func readPDF(ctx context.Context, data []byte) Decoded {
	if !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) {
		return problem("no PDF")
	}
	return sharedPDFEngine().read(ctx, data, maxPDFTime)
}

// read returns the text of a file. Starting PDFium does not count as its time.
func (e *pdfEngine) read(ctx context.Context, data []byte, limit time.Duration) Decoded {
	select {
	case <-e.ready:
	case <-ctx.Done():
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var text pdfText
	for next, more := 0, true; more; next += pagesAtOnce {
		var err error
		more, err = e.readPages(timed, data, next, &text)
		switch {
		case ctx.Err() != nil:
			return problem(stopped)
		case timed.Err() != nil:
			return problem("PDF that takes too long to read: the limit is " + limit.String())
		case err != nil:
			return problem(pdfProblem(err))
		}
	}
	switch {
	case text.out.Len() > 0:
		return Decoded{Text: text.out.String(), Hidden: text.hidden, Replaced: text.replaced}
	case text.hidden > 0:
		return problem("PDF whose text cannot be seen, like that under a scan")
	default:
		return problem("PDF without text, such as a scan")
	}
}

// readPages reads the pages from first on that one instance may read, and
// reports whether there are more.
func (e *pdfEngine) readPages(ctx context.Context, data []byte, first int, text *pdfText) (more bool, err error) {
	lib, release, err := e.instance(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	opened, err := lib.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		return false, err
	}
	count, err := lib.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil {
		return false, err
	}
	if count.PageCount > maxPDFPages {
		return false, errPDFLimit
	}
	objects := 0
	for i := first; i < min(first+pagesAtOnce, count.PageCount); i++ {
		if err := readPDFPage(lib, opened.Document, i, &objects, text); err != nil {
			return false, err
		}
	}
	return first+pagesAtOnce < count.PageCount, nil
}

func readPDFPage(lib pdfium.Pdfium, document references.FPDF_DOCUMENT, index int, objects *int, text *pdfText) error {
	loaded, err := lib.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: document, Index: index})
	if err != nil {
		return err
	}
	page := pdfPage{lib: lib, page: requests.Page{ByReference: &loaded.Page}, objects: objects}
	if err := page.read(text); err != nil {
		return err
	}
	_, err = lib.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
	return err
}

// pdfProblem says what is wrong. PDFium's own words are codes, and a call that
// panics in its library says so in words of Go.
func pdfProblem(err error) string {
	switch {
	case errors.Is(err, pdferrors.ErrPassword), errors.Is(err, pdferrors.ErrSecurity):
		return "encrypted PDF"
	case errors.Is(err, errPDFLimit):
		return "PDF that cannot be read: " + err.Error()
	case errors.Is(err, pdferrors.ErrFormat), errors.Is(err, pdferrors.ErrFile), errors.Is(err, pdferrors.ErrPage):
		return "PDF that cannot be read: it is damaged"
	default:
		return "PDF that cannot be read: PDFium fails on it, or needs more than 128 MiB for it"
	}
}
