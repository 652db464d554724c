package text

import (
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// pdfPage is a page that is being read.
type pdfPage struct {
	lib     pdfium.Pdfium
	page    requests.Page
	objects *int // looked at so far, all pages of this instance

	out      strings.Builder
	letters  references.FPDF_TEXTPAGE
	box      structs.FPDF_FS_RECTF // what is shown of the page
	inkless  bool                  // some of its text is drawn without ink
	inHidden bool                  // the last letter was not seen
	high     rune                  // the first half of a surrogate pair
}

// read adds the page's text.
func (p *pdfPage) read(text *pdfText) error {
	if err := p.look(); err != nil {
		return err
	}
	count, err := p.lib.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: p.letters})
	if err != nil {
		return err
	}
	if count.Count > maxPDFLetters || text.out.Len() > MaxBytes {
		return errPDFLimit
	}
	for i := range count.Count {
		if err := p.letter(i, text); err != nil {
			return err
		}
	}
	text.addPage(p.out.String())
	_, err = p.lib.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: p.letters})
	return err
}

// look finds out what must be known of the page before its letters.
func (p *pdfPage) look() error {
	box, err := p.lib.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: p.page})
	if err != nil {
		return err
	}
	p.box = box.Rect
	count, err := p.lib.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: p.page})
	if err != nil {
		return err
	}
	for i := range count.Count {
		object, err := p.lib.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: p.page, Index: i})
		if err != nil {
			return err
		}
		if err := p.lookAt(object.PageObject); err != nil {
			return err
		}
	}
	letters, err := p.lib.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: p.page})
	if err != nil {
		return err
	}
	p.letters = letters.TextPage
	return nil
}

// lookAt notes whether an object is text drawn without ink, or holds some.
func (p *pdfPage) lookAt(object references.FPDF_PAGEOBJECT) error {
	if *p.objects++; *p.objects > maxPDFObjects {
		return errPDFLimit
	}
	kind, err := p.lib.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object})
	if err != nil {
		return err
	}
	switch kind.Type {
	case enums.FPDF_PAGEOBJ_TEXT:
		p.inkless = p.inkless || p.isInkless(object)
	case enums.FPDF_PAGEOBJ_FORM:
		count, err := p.lib.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: object})
		if err != nil {
			return err
		}
		for i := range count.Count {
			inner, err := p.lib.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: object, Index: uint64(i)})
			if err != nil {
				return err
			}
			if err := p.lookAt(inner.PageObject); err != nil { // PDFium bounds how deep forms nest
				return err
			}
		}
	default:
	}
	return nil
}

// isInkless reports whether a text object leaves no mark (ISO 32000-1, 9.3.6).
func (p *pdfPage) isInkless(object references.FPDF_PAGEOBJECT) bool {
	mode, err := p.lib.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: object})
	return err == nil && (mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE || mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_CLIP)
}

// letter adds one letter, when it is seen.
func (p *pdfPage) letter(i int, text *pdfText) error {
	got, err := p.lib.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: p.letters, Index: i})
	if err != nil {
		return err
	}
	r := rune(uint32(got.Unicode)) //nolint:gosec // a code point, in the low half of a register
	switch {
	case r == '\n' || r == '\r':
		p.out.WriteByte('\n') // empty lines go later
		p.inHidden = false
		return nil
	case !unicode.IsSpace(r): // PDFium adds blanks; each goes with the letter before it
		hidden := p.isHidden(i)
		if hidden && !p.inHidden {
			text.hidden++
		}
		p.inHidden = hidden
	}
	if !p.inHidden {
		p.write(r, text)
	}
	return nil
}

// isHidden reports whether letter i is drawn without ink, outside of the page,
// or smaller than a point. A letter of which PDFium does not know that goes with the
// one before it.
func (p *pdfPage) isHidden(i int) bool {
	if p.inkless {
		object, err := p.lib.FPDFText_GetTextObject(&requests.FPDFText_GetTextObject{TextPage: p.letters, Index: i})
		if err != nil {
			return p.inHidden
		}
		if p.isInkless(object.TextObject) {
			return true
		}
	}
	loose, err := p.lib.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: p.letters, Index: i})
	if err != nil {
		return p.inHidden
	}
	box := loose.Rect
	outside := box.Right <= p.box.Left || box.Left >= p.box.Right || box.Top <= p.box.Bottom || box.Bottom >= p.box.Top
	return outside || max(box.Right-box.Left, box.Top-box.Bottom) < 1
}

// write writes a letter. PDFium says 2 for a hyphen at the end of a line, 0 for
// what a font does not name, and halves of UTF-16 for what its map spells so.
func (p *pdfPage) write(r rune, text *pdfText) {
	if utf16.IsSurrogate(r) && p.high == 0 {
		p.high = r
		return
	}
	if p.high != 0 {
		r, p.high = utf16.DecodeRune(p.high, r), 0
	}
	switch r {
	case 2:
		r = '-'
	case 0, unicode.ReplacementChar:
		r = unicode.ReplacementChar
		text.replaced++
	}
	p.out.WriteRune(r)
}
