package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fieldChar is a run with a character that begins or ends a field or its result.
func fieldChar(kind string) string {
	return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>`
}

// field is a field with this in its code, and this as its result.
func field(name, code, result string) string {
	return fieldChar("begin") + `<w:r><w:instrText xml:space="preserve"> ` + name + ` </w:instrText></w:r>` + code + fieldChar("separate") + result + fieldChar("end")
}

// Of a field its result is seen, and nothing of its code, whatever stands in it.
func TestC073_DOCXFieldsShowTheirResultAlone(t *testing.T) {
	box := func(content string) string {
		return `<w:r><w:drawing><wps:wsp><wps:txbx><w:txbxContent>` + content + `</w:txbxContent></wps:txbx></wps:wsp></w:drawing></w:r>`
	}
	para := func(content string) string { return `<w:p>` + content + `</w:p>` }
	begin, separate, end := fieldChar("begin"), fieldChar("separate"), fieldChar("end")
	for name, c := range map[string]struct {
		body   string
		hidden int
	}{
		"a result":                            {para(field("DATE", "", seenRun)), 0},
		"a text in the code":                  {para(field("IF 1 = 1", hiddenRun, seenRun)), 1},
		"a result in another's code":          {para(field("IF", field("MERGEFIELD a", "", hiddenRun), seenRun)), 1},
		"a result in another's result":        {para(field("HYPERLINK x", "", field("PAGEREF x", "", seenRun))), 0},
		"a field after the inner one":         {para(field("IF", field("IF", field("A", "", hiddenRun), hiddenRun)+hiddenRun, field("B", hiddenRun, seenRun))), 4},
		"over paragraphs":                     {para(begin+hiddenRun) + para(hiddenRun) + para(separate+seenRun+end), 2},
		"in a table":                          {`<w:tbl><w:tr><w:tc>` + para(begin+hiddenRun+end) + `</w:tc></w:tr></w:tbl>` + para(seenRun), 1},
		"without a result":                    {para(begin + hiddenRun + end + seenRun), 1},
		"without an end of the result":        {para(begin + hiddenRun + separate + seenRun), 1},
		"never closed":                        {para(seenRun+begin) + para(hiddenRun) + para(hiddenRun), 2},
		"an end without a beginning":          {para(end + seenRun + separate), 0},
		"a result that begins twice":          {para(begin + separate + separate + seenRun + end), 0},
		"one more end":                        {para(begin+separate+end+end+seenRun) + para(begin+hiddenRun+end), 1},
		"symbols and breaks":                  {para(begin + `<w:r><w:sym w:char="F0FE"/><w:br/><w:tab/></w:r>` + separate + seenRun + end), 1},
		"a formula":                           {para(begin + `<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>` + separate + seenRun + end), 1},
		"a box in the code":                   {para(begin + box(para(hiddenRun)) + separate + seenRun + end), 1},
		"a box in the code, with a field":     {para(begin + box(para(field("DATE", "", hiddenRun)+end+separate)) + separate + seenRun + end), 1},
		"a box that ends no code but its own": {para(begin + box(para(separate+hiddenRun)) + hiddenRun + separate + seenRun + end), 2},
		"a box that does not close its own":   {para(box(para(begin+hiddenRun))) + para(seenRun), 1},
		"a variable, set":                     {para(field("SET a", "", hiddenRun) + seenRun), 1},
		"in another spelling":                 {para(begin + `<w:r><w:instrText> s</w:instrText><w:instrText>et a "x"</w:instrText></w:r>` + separate + hiddenRun + separate + hiddenRun + end + seenRun), 2},
		"an entry of an index":                {para(field("XE", "", hiddenRun) + field("TC", "", hiddenRun) + seenRun), 2},
		"not a variable":                      {para(field("SETTLED", "", seenRun)), 0},
		"no name":                             {para(field("", "", seenRun)), 0},
		"a long code":                         {para(field(strings.Repeat("x", 100), `<w:r><w:instrText>SET</w:instrText></w:r>`, seenRun)), 0},
		"one element":                         {para(`<w:fldSimple w:instr=" DATE ">` + seenRun + `</w:fldSimple>`), 0},
		"one element, a variable":             {para(`<w:fldSimple w:instr=" SET a x">` + hiddenRun + `</w:fldSimple>` + seenRun), 1},
	} {
		d := read(t, typeDOCX, docxOf(t, c.body))
		require.Equal(t, "seen\n", d.Text, name)
		require.Equal(t, c.hidden, d.Hidden, name)
	}
}

// A field that the body does not close is none of its notes.
func TestC073_DOCXFieldsEndWithTheirStory(t *testing.T) {
	note := func(id, content string) string {
		return `<w:footnote w:id="` + id + `"><w:p>` + content + `</w:p></w:footnote>`
	}
	d := read(t, typeDOCX, docxOf(t, `<w:p>`+seenRun+fieldChar("begin")+hiddenRun+`</w:p>`,
		"word/footnotes.xml", `<w:footnotes `+wordSpaces+`>`+note("1", seenRun+fieldChar("begin")+hiddenRun)+note("2", seenRun)+`</w:footnotes>`))
	require.Equal(t, "seen\n[^1]: seen\n[^2]: seen\n", d.Text)
	require.Equal(t, 2, d.Hidden)
}
