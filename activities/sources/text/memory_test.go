package text

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The document that a process of this test's program decodes, and nothing else.
const decodeAlone = "HOLDPOINT_TEST_DECODE"

func TestMain(m *testing.M) {
	if path := os.Getenv(decodeAlone); path != "" {
		if err := decodeFile(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// measured is what such a process tells.
type measured struct {
	Problem string
	Text    int // bytes
	Peak    int // the most memory that the process had, in bytes
}

func decodeFile(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	d, err := Decode(context.Background(), MediaType(path), data)
	if err != nil {
		return err
	}
	got := measured{Problem: d.Problem, Text: len(d.Text)}
	status, err := os.ReadFile("/proc/self/status") // VmHWM: see proc(5)
	for line := range strings.Lines(string(status)) {
		if n, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			got.Peak, err = strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(n), " kB"))
			got.Peak <<= 10
		}
	}
	if err != nil {
		return err
	}
	runtime.KeepAlive(data) // as its reader, who stores it afterwards
	return json.NewEncoder(os.Stdout).Encode(got)
}

// peakOf decodes a document in a process of its own. cacheHome is where the
// machine code of PDFium is kept.
func peakOf(t *testing.T, name, data, cacheHome string) measured {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says how much memory a process had at most without what its parent had")
	}
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(data), 0o600))
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), decodeAlone+"="+path, "XDG_CACHE_HOME="+cacheHome)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var got measured
	require.NoError(t, json.Unmarshal(out, &got))
	t.Logf("%s of %d kB: peak %d MB, text %d kB %s", name, len(data)>>10, got.Peak>>20, got.Text>>10, got.Problem)
	return got
}

// A worker as a whole takes less than 200 MB. Without documents it has about 60.
const documentPeak = 140 << 20

// largest is the largest file that is read unless the configuration says otherwise.
const largest = 16 << 20

func TestMemory_HTML(t *testing.T) {
	sentence := "Ship the invoices on Friday, when the tax id is on them; 周五上线。 "
	for name, page := range map[string]string{
		"paragraphs":    strings.Repeat("<p class=x>"+strings.Repeat(sentence, 8)+"</p>\n", largest/600),
		"empty":         strings.Repeat("<p>", 480_000),
		"at the limit":  strings.Repeat("<p>x\n", maxNodes/2-10),
		"past it":       strings.Repeat("<p>x\n", largest/5),
		"one text":      strings.Repeat(sentence, maxHTMLPiece/len(sentence)),
		"a table":       strings.Repeat("<tr><td>2026-11-24<td>done<td>x</tr>\n", maxNodes/10),
		"attributes":    strings.Repeat(`<p style="color:red" class="a b c" data-x="`+strings.Repeat("y", 1000)+`">x`, largest/1100),
		"styles":        numbered(maxNodes/3-10, `<p style="font-size:#px">x`),
		"scripts":       "<script>" + strings.Repeat("x", maxHTMLPiece/2) + "</script><p>x",
		"one long line": strings.Repeat("<b>x</b> ", maxNodes/8),
		"newlines":      strings.Repeat("\n", largest),
	} {
		t.Run(name, func(t *testing.T) { require.Less(t, peakOf(t, "page.html", page, "").Peak, documentPeak) })
	}
}

func TestMemory_DOCX(t *testing.T) {
	para := `<w:p><w:r><w:t>` + strings.Repeat("Ship the invoices on Friday. ", 20) + `</w:t></w:r></w:p>`
	for name, data := range map[string]string{
		"paragraphs": docxOf(t, strings.Repeat(para, maxDocument/len(para)-10)),
		"one text":   docxOf(t, `<w:p><w:r><w:t>`+strings.Repeat("Ship. ", maxDocument/6-1000)+`</w:t></w:r></w:p>`),
		"one line":   docxOf(t, `<w:p>`+strings.Repeat(strings.TrimSuffix(strings.TrimPrefix(para, `<w:p>`), `</w:p>`), maxDocument/len(para))+`</w:p>`),
		"one cell":   docxOf(t, `<w:tbl><w:tr><w:tc>`+strings.Repeat(para, maxDocument/len(para)-10)+`</w:tc></w:tr></w:tbl>`),
		"elements":   docxOf(t, strings.Repeat(`<w:p/>`, maxElements*2)),
		"cells":      docxOf(t, `<w:tbl><w:tr>`+strings.Repeat(`<w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc>`, maxElements/5)+`</w:tr></w:tbl>`),
		"members":    manyMembers(t, 300_000),
	} {
		t.Run(name, func(t *testing.T) { require.Less(t, peakOf(t, "minutes.docx", data, "").Peak, documentPeak) })
	}
}

// manyMembers is an archive of many empty members.
func manyMembers(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	w := zip.NewWriter(&b)
	for i := range n {
		_, err := w.CreateRaw(&zip.FileHeader{Name: strconv.Itoa(i)})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

// numbered repeats s with each number in the place of "#".
func numbered(n int, s string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(s, "#", strconv.Itoa(i)))
	}
	return b.String()
}

// From its second start on a machine, PDFium takes what is here; an interpreted
// one takes more. The first start, which makes machine code for all that follow,
// is measured with HOLDPOINT_TEST_LONG.
func TestMemory_PDF(t *testing.T) {
	pages := make([]string, 200)
	for i := range pages {
		for line := range 50 {
			pages[i] += at(770-15*line, "Ship the invoices on Friday, when the tax id is on them.")
		}
	}
	report := pdfOf("", pages...)
	cache := filepath.Dir(filepath.Dir(warmPDFCache(t)))
	require.Less(t, peakOf(t, "report.pdf", report, cache).Peak, documentPeak)
	require.Less(t, peakOf(t, "bomb.pdf", bombPDF(t), cache).Peak, documentPeak+maxPDFMemory<<16)
	require.Less(t, peakOf(t, "page.pdf", pdfOf("", at(720, "x")), "/dev/null").Peak, 260<<20, "interpreted")
	if os.Getenv("HOLDPOINT_TEST_LONG") != "" {
		require.Less(t, peakOf(t, "report.pdf", report, t.TempDir()).Peak, 600<<20, "the first start")
	}
}
