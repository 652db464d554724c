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

func readPDF(ctx context.Context, data []byte) (Decoded, error) {
	if !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) {
		return problem("no PDF"), nil
	}
	return sharedPDFEngine().read(ctx, data, maxTime)
}

// read returns the text of a file. Its time begins when it has its turn and
// PDFium has started: what other documents take is not counted.
func (e *pdfEngine) read(ctx context.Context, data []byte, limit time.Duration) (Decoded, error) {
	if err := e.take(ctx); err != nil {
		return Decoded{}, err
	}
	defer e.give()
	return withinTime(ctx, limit, func(ctx context.Context) (Decoded, error) { return e.readAll(ctx, data) })
}

func (e *pdfEngine) readAll(ctx context.Context, data []byte) (Decoded, error) {
	var text pdfText
	for next, more := 0, true; more; next += pagesAtOnce {
		lib, release, err := e.instance(ctx)
		if err != nil {
			return Decoded{}, err
		}
		more, err = readPages(lib, data, next, &text)
		release()
		if err != nil {
			return problem(pdfProblem(err)), nil
		}
	}
	switch {
	case text.out.Len() > 0:
		return Decoded{Text: text.out.String(), Hidden: text.hidden, Replaced: text.replaced}, nil
	case text.hidden > 0:
		return problem("PDF whose text cannot be seen, like that under a scan"), nil
	default:
		return problem("PDF without text, such as a scan"), nil
	}
}

// readPages reads the pages from first on that one instance may read, and
// reports whether there are more.
func readPages(lib pdfium.Pdfium, data []byte, first int, text *pdfText) (more bool, err error) {
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
