package text

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pdfOf returns a PDF with a page for each content stream. The font F1 is
// Helvetica, F2 a Chinese one of the standard ones; both are not embedded.
func pdfOf(trailer string, contents ...string) string {
	var objects, kids []string
	for i, c := range contents {
		page := 5 + 2*i
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
		if !strings.HasPrefix(c, "<<") {
			c = fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(c), c)
		}
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>", page+1), c)
	}
	objects = append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(contents)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light " +
			"/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> /DW 1000 /FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 4 " +
			"/FontBBox [-25 -254 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >> >>] >>",
	}, objects...)
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var table strings.Builder
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table.String(), len(objects)+1, trailer, b.Len())
	return b.String()
}

// at shows a string at a height of the page.
func at(y int, shown string) string {
	return fmt.Sprintf("BT /F1 12 Tf 72 %d Td (%s) Tj ET\n", y, shown)
}

func TestPDF(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"lines":   {pdfOf("", at(720, "Weekly report")+at(700, "Decision: ship on Friday")), "Weekly report\nDecision: ship on Friday\n"},
		"pages":   {pdfOf("", at(720, "one"), "", at(720, "three")), "one\n\nthree\n"},
		"Chinese": {pdfOf("", "BT /F2 12 Tf 72 720 Td <546862A5> Tj ET"), "周报\n"},
		"many pages, in several instances": {
			pdfOf("", strings.Split(strings.Repeat(at(720, "page")+"|", 2*pagesAtOnce)+at(720, "last"), "|")...),
			strings.Repeat("page\n\n", 2*pagesAtOnce) + "last\n",
		},
	} {
		d := read(t, typePDF, c.data)
		require.Equal(t, Decoded{Text: c.want}, d, name)
	}
}

// The same file as others may use it: a page with a heading and two items.
func TestPDF_Testdata(t *testing.T) {
	data, err := os.ReadFile("testdata/report.pdf")
	require.NoError(t, err)
	require.Equal(t, "Weekly report\n- 2026-11-24 done: invoices carry the tax id\n- 2026-11-25 blocked: waiting for nodes\n", read(t, typePDF, string(data)).Text)
}

func TestC073_PDFHidesWhatIsNotSeen(t *testing.T) {
	d := read(t, typePDF, pdfOf("", at(720, "shown")+
		"BT /F1 12 Tf 3 Tr 72 700 Td ("+injected+") Tj 0 Tr ET\n"+
		"BT /F1 12 Tf 7 Tr 72 680 Td ("+injected+") Tj 0 Tr ET\n"+
		"BT /F1 12 Tf 72 900 Td ("+injected+") Tj ET\n"+
		"BT /F1 12 Tf -5000 500 Td ("+injected+") Tj ET\n"+
		"BT /F1 0.5 Tf 72 640 Td ("+injected+") Tj ET\n"+
		at(600, "seen too")+"BT /F1 12 Tf 1 Tr 72 580 Td (outlined) Tj ET\n"))
	require.Equal(t, "shown\nseen too\noutlined\n", d.Text)
	require.Equal(t, 5, d.Hidden)
}

func TestPDF_Problems(t *testing.T) {
	encrypted := fmt.Sprintf("/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >> /ID [<%s> <%s>]",
		strings.Repeat("a1", 32), strings.Repeat("b2", 32), strings.Repeat("00", 16), strings.Repeat("00", 16))
	pages := make([]string, maxPDFPages+1)
	for name, c := range map[string]struct{ data, says string }{
		"encrypted":      {pdfOf(encrypted, at(720, "x")), "encrypted PDF"},
		"a scan":         {pdfOf("", "0 0 100 100 re f"), "PDF without text, such as a scan"},
		"under a scan":   {pdfOf("", "0 0 100 100 re f BT /F1 12 Tf 3 Tr 72 700 Td (read by a machine) Tj ET"), "PDF whose text cannot be seen, like that under a scan"},
		"not a PDF":      {"Weekly report", "no PDF"},
		"a head alone":   {"%PDF-1.7\n", "damaged"},
		"damaged":        {"%PDF-1.7\n" + strings.Repeat("<< /Kids [1 0 R] >> ", 500), "damaged"},
		"too many pages": {pdfOf("", pages...), "2,000 pages"},
	} {
		d := decode(t, typePDF, c.data)
		require.Contains(t, d.Problem, c.says, name)
		require.Empty(t, d.Text, name)
	}
}

// After a document that was given up, or that wanted too much, the next is
// read as ever.
func TestPDF_OneDocumentCannotHurtTheNext(t *testing.T) {
	engine := sharedPDFEngine()
	readsOn := func() {
		d, err := engine.read(t.Context(), []byte(pdfOf("", at(720, "fine"))), time.Minute)
		require.NoError(t, err)
		require.Equal(t, "fine\n", d.Text)
	}
	readsOn()

	slow := pdfOf("", strings.Repeat(at(720, "x"), 190_000))
	d, err := engine.read(t.Context(), []byte(slow), 300*time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, Decoded{Problem: "it takes too long to read: the limit is 300ms"}, d)
	readsOn()

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = Decode(ctx, typePDF, []byte(slow))
	require.ErrorIs(t, err, context.DeadlineExceeded, "it says nothing about the document")
	readsOn()

	d, err = engine.read(t.Context(), []byte(bombPDF(t)), time.Minute)
	require.NoError(t, err)
	require.NotEmpty(t, d.Problem)
	readsOn()
}

// bombPDF has a page of 400 MB in 2 kB: one block of a megabyte, compressed and
// repeated, and all of it compressed again.
func bombPDF(t *testing.T) string {
	t.Helper()
	var block, packed bytes.Buffer
	w, err := flate.NewWriter(&block, flate.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(bytes.Repeat([]byte{' '}, 1<<20))
	require.NoError(t, err)
	require.NoError(t, w.Flush())
	z := zlib.NewWriter(&packed)
	_, err = z.Write([]byte("\x78\x9c" + strings.Repeat(block.String(), 400) + "\x03\x00\x00\x00\x00\x00"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.Less(t, packed.Len(), 4_000)
	return pdfOf("", fmt.Sprintf("<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%s\nendstream", packed.Len(), packed.String()))
}

func TestPDFCache_OthersMustNotWriteToIt(t *testing.T) {
	users := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", users)
	folder := pdfCache()
	require.Equal(t, users+"/holdpoint/pdfium", folder)
	require.NoError(t, os.Chmod(folder, 0o777))
	require.Empty(t, pdfCache())
	t.Setenv("XDG_CACHE_HOME", "/dev/null")
	require.Empty(t, pdfCache())
}
