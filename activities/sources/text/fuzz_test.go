package text

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// What Decode promises for any bytes at all. Run it for longer with
//
//	go test -fuzz FuzzDecode ./activities/sources/text
func FuzzDecode(f *testing.F) {
	types := []string{"text/markdown", "text/html", typeDOCX, typePDF}
	for _, seed := range []string{
		"", "# a\r\nb\x00\x85", minutesGBK, rareGB18030, "\x84\x31\x95\x33\xc4\xe3", "\xff\xfea\x00\x3d\xd8", "\xfe\xff\x00a\x00", "\x00a\x00b\x00c\x00d",
		"\xef\xbb\xbf\xef\xbb\xbfa", "\xff\xfe\x00\x00", "caf\xe9", "\x80", "a\u200d\u200db" + tags("x") + "\u202e",
		"<p>a<b x=1><i>b</p>c<table><td>d<tr><th>e", "<li hidden>x<!-- y --><pre>\n\n</pre><select><b></select>", "<a><a><svg><p><title><![CDATA[x]]>",
		"<p style='disp\\6c ay:/**/none'>a<b style=\"color:rgb(0 0 0/0);font:0/0 x;transform:scale(0\">b", "<p style='a:b;(c:{}[])}!important;\\'>", "<xmp>&amp;<dialog><rp>",
		"\uFDD01\uFDD1x", "<p>&#xFDD0;1&#xFDD1;&#0;&#x110000;", "PK\x03\x04", "\xd0\xcf\x11\xe0", "%PDF-1.7\n1 0 obj\n", pdfOf("", at(1, "x")),
	} {
		for kind := range types {
			f.Add(uint8(kind), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		began := time.Now()
		d := decode(t, types[int(kind)%len(types)], string(data))
		require.True(t, utf8.ValidString(d.Text))
		require.False(t, strings.ContainsAny(d.Text, "\x00\r\u0085\ufeff\u202e\U000E0041"))
		require.LessOrEqual(t, len(d.Text), 64<<20)
		require.True(t, d.Problem == "" || d.Text == "")
		require.NotContains(t, d.Problem, "failed on it", "a reader panicked")
		for _, n := range []int{d.Replaced, d.NULs, d.Hidden, d.Invisible} {
			require.GreaterOrEqual(t, n, 0)
		}
		seen, removed := visible(d.Text)
		require.Equal(t, d.Text, seen)
		require.Zero(t, removed)
		require.Less(t, time.Since(began), 3*time.Minute, "it hangs")
	})
}

// The XML of a DOCX meets the fuzzer without the archive around it, of which it
// would not find the checksums.
func FuzzDOCXBody(f *testing.F) {
	for _, seed := range []string{
		"<w:p><w:r><w:t>a</w:t></w:r></w:p>", "<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:trPr><w:hidden/></w:trPr></w:tr></w:tbl></w:tc></w:tr></w:tbl>",
		"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:p/></w:r></w:p>", "<w:r><w:t>x</w:t></w:r>", "<w:tc/>", "<w:trPr><w:tblHeader/></w:trPr>", "<!-- ' --><a b=\">\"/>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		d := decode(t, typeDOCX, docxOf(t, body))
		require.True(t, utf8.ValidString(d.Text))
		require.NotContains(t, d.Problem, "failed on it", "a reader panicked")
	})
}
