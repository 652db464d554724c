package text

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	wordSpaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
		`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ` +
		`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
		`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"`
	rels = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`
)

// zipped returns an archive of the members, given as name, content, name…
func zipped(t *testing.T, members ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		f, err := w.Create(members[i])
		require.NoError(t, err)
		_, err = f.Write([]byte(members[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

// docxOf returns a minimal document with the given body, and more parts.
func docxOf(t *testing.T, body string, parts ...string) string {
	t.Helper()
	document := `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document ` + wordSpaces + `><w:body>` + body + `</w:body></w:document>`
	return zipped(t, append([]string{"_rels/.rels", rels, "word/document.xml", document}, parts...)...)
}

func TestDOCX(t *testing.T) {
	styles := `<w:styles ` + wordSpaces + `>
		<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
		<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>
		<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/></w:style>
		<w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/><w:basedOn w:val="1"/></w:style>
		<w:style w:type="paragraph" w:styleId="mine"><w:name w:val="Mine"/><w:basedOn w:val="2"/></w:style>
		<w:style w:type="paragraph" w:styleId="list"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
	</w:styles>`
	para := func(properties, text string) string {
		return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
	}
	for name, c := range map[string]struct{ body, want string }{
		"paragraphs": {para("", "one") + para("", "") + para("", "two"), "one\ntwo\n"},
		"headings": {
			para(`<w:pStyle w:val="1"/>`, "周报") + para(`<w:pStyle w:val="2"/>`, "Done &amp; dusted") + para(`<w:pStyle w:val="mine"/>`, "based on it") + para(`<w:outlineLvl w:val="2"/>`, "by level"),
			"# 周报\n## Done & dusted\n## based on it\n### by level\n",
		},
		"list items": {
			para(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`, "outer") + para(`<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>`, "inner") +
				para(`<w:pStyle w:val="list"/>`, "by style") + para(`<w:pStyle w:val="list"/><w:numPr><w:numId w:val="0"/></w:numPr>`, "not any more"),
			"- outer\n  - inner\n- by style\nnot any more\n",
		},
		"runs make words": {`<w:p><w:r><w:t>wo</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">rd </w:t><w:tab/><w:t>x</w:t><w:noBreakHyphen/><w:t>y</w:t></w:r></w:p>`, "word  x-y\n"},
		"line break":      {`<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r></w:p>`, "a\nb\n"},
		"inserted, linked, in a control": {
			`<w:sdt><w:sdtPr><w:alias w:val="x"/></w:sdtPr><w:sdtContent><w:p><w:ins w:id="1"><w:r><w:t>new </w:t></w:r></w:ins><w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink></w:p></w:sdtContent></w:sdt>`, "new link\n",
		},
		"a field shows its result": {`<w:p><w:r><w:instrText>PAGEREF x</w:instrText></w:r><w:fldSimple w:instr="DATE"><w:r><w:t>2026-11-24</w:t></w:r></w:fldSimple></w:p>`, "2026-11-24\n"},
		"table": {
			`<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc>` + para("", "date") + `</w:tc><w:tc>` + para("", "what") + `</w:tc></w:tr>` +
				`<w:tr><w:tc>` + para("", "2026-11-24") + `</w:tc><w:tc>` + para("", "a|b") + para(`<w:pStyle w:val="1"/>`, "c") +
				`<w:tbl><w:tr><w:tc>` + para("", "inner") + `</w:tc></w:tr></w:tbl></w:tc></w:tr><w:tr><w:tc/><w:tc/></w:tr></w:tbl>`,
			"| date | what |\n| --- | --- |\n| 2026-11-24 | a\\|b c inner |\n",
		},
		"text box, once": {
			`<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><wps:txbx><w:txbxContent>` + para("", "boxed") + `</w:txbxContent></wps:txbx></mc:Choice>` +
				`<mc:Fallback><w:pict><w:txbxContent>` + para("", "boxed") + `</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent><w:t>beside</w:t></w:r></w:p>`,
			"boxed\nbeside\n",
		},
		"formula":     {`<w:p><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p>`, "x=1\n"},
		"check boxes": {`<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:t> done </w:t><w:sym w:font="Wingdings" w:char="F0A8"/><w:t> open</w:t></w:r></w:p>`, "☑ done ☐ open\n"},
		"notes": {
			`<w:p><w:r><w:t>said</w:t><w:footnoteReference w:id="2"/></w:r></w:p>`, "said[^2]\n[^2]: by whom\n",
		},
	} {
		footnotes := `<w:footnotes ` + wordSpaces + `><w:footnote w:type="separator" w:id="-1">` + para("", "line") + `</w:footnote>` +
			`<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/><w:t>by whom</w:t></w:r></w:p></w:footnote></w:footnotes>`
		parts := []string{"word/styles.xml", styles}
		if name == "notes" {
			parts = append(parts, "word/footnotes.xml", footnotes)
		}
		d := read(t, typeDOCX, docxOf(t, c.body, parts...))
		require.Equal(t, c.want, d.Text, name)
		require.Zero(t, d.Hidden, name)
		require.Empty(t, d.Encoding, name)
	}
}

func TestC073_DOCXHidesWhatWordHides(t *testing.T) {
	styles := `<w:styles ` + wordSpaces + `>
		<w:style w:type="character" w:styleId="ghost"><w:rPr><w:vanish/></w:rPr></w:style>
		<w:style w:type="paragraph" w:styleId="dust"><w:rPr><w:sz w:val="2"/></w:rPr></w:style></w:styles>`
	hid := `<w:t>` + injected + `</w:t>`
	d := read(t, typeDOCX, docxOf(t, `
		<w:p><w:r><w:t>正文</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr>`+hid+`</w:r></w:p>
		<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r></w:p>
		<w:p><w:r><w:rPr><w:rStyle w:val="ghost"/></w:rPr>`+hid+`</w:r><w:r><w:rPr><w:rStyle w:val="ghost"/><w:vanish w:val="false"/></w:rPr><w:t>seen too</w:t></w:r></w:p>
		<w:p><w:pPr><w:pStyle w:val="dust"/></w:pPr><w:r>`+hid+`</w:r><w:r><w:rPr><w:sz w:val="21"/></w:rPr><w:t>large</w:t></w:r></w:p>
		<w:p><w:del w:id="1"><w:r><w:delText>`+injected+`</w:delText></w:r></w:del><w:moveFrom w:id="2"><w:r>`+hid+`</w:r></w:moveFrom></w:p>
		<w:p><w:r><w:rPr><w:sz w:val="1"/></w:rPr>`+hid+`</w:r><w:r><w:commentReference w:id="7"/></w:r></w:p>
		<w:p><w:r><w:rPr><w:specVanish/></w:rPr>`+hid+`</w:r><w:r><w:rPr><w:w w:val="1"/></w:rPr>`+hid+`</w:r><w:r><w:rPr><w:w w:val="90"/></w:rPr><w:t>narrow</w:t></w:r></w:p>
		<w:p><w:r><w:rPr><w:vanish w:val="1"/></w:rPr>`+hid+`</w:r><w:r><w:rPr><w:vanish w:val="on"/></w:rPr>`+hid+`</w:r>
			<w:r><w:rPr><w:vanish w:val="true"/></w:rPr>`+hid+`</w:r><w:r><w:rPr><w:vanish w:val="off"/></w:rPr><w:t>not off</w:t></w:r></w:p>
		<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc><w:p><w:r>`+hid+`</w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>row</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
		<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:drawing><wps:txbx><w:txbxContent><w:p><w:r>`+hid+`</w:r></w:p></w:txbxContent></wps:txbx></w:drawing></w:r></w:p>`,
		"word/styles.xml", styles))
	require.Equal(t, "正文\nshown\nseen too\nlarge\nnarrow\nnot off\n| row |\n", d.Text)
	require.Equal(t, 14, d.Hidden)
}

func TestDOCX_Problems(t *testing.T) {
	long := strings.Repeat("x", maxTag)
	bomb := strings.Repeat(`<w:p><w:r><w:t>`+strings.Repeat("0", 1000)+`</w:t></w:r></w:p>`, 20_000)
	manyAttributes := func(quote string) string {
		return `<w:p ` + strings.Repeat(`a=`+quote+`>`+quote+` `, 200_000) + `/>`
	}
	for name, c := range map[string]struct{ data, says string }{
		"no zip":                {"PK no zip", "no zip archive"},
		"cut":                   {docxOf(t, "")[:200], "no zip archive"},
		"encrypted":             {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), "encrypted"},
		"another zip":           {zipped(t, "a.txt", "x"), "no Word document"},
		"no body":               {zipped(t, "_rels/.rels", rels), "missing"},
		"two bodies":            {docxOf(t, "", "word/Document.xml", "x"), "two members of one name"},
		"damaged XML":           {docxOf(t, "<w:p>"), "XML is damaged"},
		"entities":              {zipped(t, "_rels/.rels", rels, "word/document.xml", `<!DOCTYPE d [<!ENTITY a "&#97;"><!ENTITY b "&a;&a;">]><d>&b;</d>`), "document type"},
		"an entity":             {docxOf(t, "<w:p>&a;</w:p>"), "XML is damaged"},
		"unpacks to 20 MB":      {docxOf(t, bomb), "too large when unpacked"},
		"a long tag":            {docxOf(t, `<w:p a="`+long+`"/>`), "longer than 64 kB"},
		"many attributes":       {docxOf(t, manyAttributes(`"`)), "longer than 64 kB"},
		"behind a comment":      {docxOf(t, `<!-- ' -->`+manyAttributes(`'`)), "longer than 64 kB"},
		"behind an odd PI":      {docxOf(t, `<?x '?>`+manyAttributes(`'`)), "longer than 64 kB"},
		"behind CDATA":          {docxOf(t, `<![CDATA[ " ]]>`+manyAttributes(`"`)), "longer than 64 kB"},
		"deep":                  {docxOf(t, strings.Repeat("<w:sdt>", 300)+strings.Repeat("</w:sdt>", 300)), "nested deeper"},
		"empty paragraphs":      {docxOf(t, strings.Repeat("<w:p/>", 2_000_000)), "more than 500,000 elements"},
		"elements, all parts":   {docxOf(t, strings.Repeat("<w:p/>", maxElements/2), "word/styles.xml", "<a>"+strings.Repeat("<b/>", maxElements/2)+"</a>"), "more than 500,000 elements"},
		"many members":          {manyMembers(t, maxMembers+1), "10,000 members"},
		"one long text":         {docxOf(t, `<w:p><w:r><w:t>`+strings.Repeat("x", maxXMLText+1)), "longer than 1 MiB"},
		"one long CDATA":        {docxOf(t, `<w:p><w:r><w:t><![CDATA[`+strings.Repeat("x", maxXMLText+1)), "longer than 1 MiB"},
		"one long paragraph":    {docxOf(t, `<w:p>`+strings.Repeat(`<w:r><w:t>`+strings.Repeat("x", 900<<10)+`</w:t></w:r>`, 5)+`</w:p>`), "more than 4 MiB"},
		"one long row":          {docxOf(t, `<w:tbl><w:tr><w:tc>`+strings.Repeat(`<w:p><w:r><w:t>`+strings.Repeat("x", 900<<10)+`</w:t></w:r></w:p>`, 6)+`</w:tc></w:tr></w:tbl>`), "more than 4 MiB"},
		"a part that is UTF-16": {zipped(t, "_rels/.rels", rels, "word/document.xml", "\xff\xfe"+inUTF16("<a/>", binary.LittleEndian)), "XML is damaged"},
	} {
		d := decode(t, typeDOCX, c.data)
		require.True(t, strings.HasPrefix(d.Problem, "DOCX that cannot be read: "), "%s: %s", name, d.Problem)
		require.Contains(t, d.Problem, c.says, name)
		require.Empty(t, d.Text, name)
		require.Less(t, len(d.Problem), 120, name)
	}
	comments := read(t, typeDOCX, docxOf(t, `<!-- it's fine --><w:p><w:r><w:t><![CDATA[a < b]]></w:t></w:r></w:p>`))
	require.Equal(t, "a < b\n", comments.Text)
}

// All that Word would write passes: texts and tags are far from the bounds, and
// what is in them does not count for the next.
func TestDOCX_LimitsAreOfOneTextOrTag(t *testing.T) {
	text := strings.Repeat("x", 600<<10)
	d := read(t, typeDOCX, docxOf(t, strings.Repeat(`<w:p><w:r><w:t>`+text+`</w:t></w:r></w:p><!-- `+text+` -->`, 3)))
	require.Equal(t, strings.Repeat(text+"\n", 3), d.Text)
}

func TestDOCX_StopsInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := docxOf(t, strings.Repeat("<w:p/>", 1000))
	_, err := Decode(ctx, typeDOCX, []byte(data))
	require.ErrorIs(t, err, context.Canceled)

	d, err := withinTime(t.Context(), 0, func(ctx context.Context) (Decoded, error) { return readDOCX(ctx, []byte(data)), nil })
	require.NoError(t, err)
	require.Equal(t, "it takes too long to read: the limit is 0s", d.Problem)
}
