package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// texts are runs of text, seen and not.
const (
	seenRun   = `<w:r><w:t>seen</w:t></w:r>`
	hiddenRun = `<w:r><w:t>` + injected + `</w:t></w:r>`
	foreignZZ = ` xmlns:zz="urn:zz"`
)

// hidingRun is a run with the given properties.
func hidingRun(properties string) string {
	return `<w:r><w:rPr>` + properties + `</w:rPr><w:t>` + injected + `</w:t></w:r>`
}

// alternatives are a choice for programs that know prefixes, and what the others take.
func alternatives(requires, choice, fallback string) string {
	return `<mc:AlternateContent><mc:Choice` + requires + `>` + choice + `</mc:Choice><mc:Fallback>` + fallback + `</mc:Fallback></mc:AlternateContent>`
}

// What Word does not show of other vocabularies never reaches the text, what it
// shows does, and what is left out is counted (ECMA-376 part 3).
func TestC073_DOCXTakesWhatWordTakesOfOtherVocabularies(t *testing.T) {
	const strict = ` xmlns:s="http://purl.oclc.org/ooxml/wordprocessingml/main"`
	for name, c := range map[string]struct {
		para   string
		hidden int
	}{
		"a choice that nobody knows":       {alternatives(` Requires="zz"`+foreignZZ, hiddenRun, seenRun), 1},
		"a prefix that is not bound":       {alternatives(` Requires="nope"`, hiddenRun, seenRun), 1},
		"a choice of two, one unknown":     {alternatives(` Requires="wps zz"`+foreignZZ, hiddenRun, seenRun), 1},
		"a choice that requires nothing":   {alternatives(``, hiddenRun, seenRun), 1},
		"a known choice":                   {alternatives(` Requires="wps"`, seenRun, hiddenRun), 0},
		"a known prefix, bound anew":       {alternatives(` Requires="wps" xmlns:wps="urn:zz"`, hiddenRun, seenRun), 1},
		"an unknown prefix, bound to Word": {alternatives(` Requires="zz" xmlns:zz="http://schemas.microsoft.com/office/word/2010/wordml"`, seenRun, hiddenRun), 0},
		"the second choice": {`<mc:AlternateContent` + foreignZZ + `><mc:Choice Requires="zz">` + hiddenRun + `</mc:Choice><mc:Choice Requires="wps">` + seenRun +
			`</mc:Choice><mc:Choice Requires="wps">` + hiddenRun + `</mc:Choice></mc:AlternateContent>`, 1},
		"no choice at all":                    {seenRun + `<mc:AlternateContent><mc:Choice Requires="zz">` + hiddenRun + `</mc:Choice></mc:AlternateContent>`, 1},
		"a choice in a choice":                {alternatives(` Requires="wps"`, alternatives(` Requires="zz"`+foreignZZ, hiddenRun, seenRun), hiddenRun), 1},
		"something else among the choices":    {`<mc:AlternateContent><zz:Choice` + foreignZZ + ` Requires="wps">` + hiddenRun + `</zz:Choice><mc:Fallback>` + seenRun + `</mc:Fallback></mc:AlternateContent>`, 1},
		"a fallback by itself":                {seenRun + `<mc:Fallback>` + hiddenRun + `</mc:Fallback>`, 1},
		"around a run":                        {seenRun + `<zz:x` + foreignZZ + `>` + hiddenRun + hiddenRun + `</zz:x>`, 2},
		"in a text":                           {`<w:r><w:t>se<zz:x` + foreignZZ + `><w:t>` + injected + `</w:t></zz:x>en</w:t></w:r>`, 1},
		"known, but for settings alone":       {seenRun + `<w14:x xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml">` + hiddenRun + `</w14:x>`, 1},
		"the other form of Word":              {seenRun + `<s:r` + strict + `><s:t>` + injected + `</s:t></s:r>`, 1},
		"no prefix, no vocabulary":            {seenRun + `<r><w:t>` + injected + `</w:t></r>`, 1},
		"what stands for its content":         {`<w:ins mc:Ignorable="zz" mc:ProcessContent="zz:x"` + foreignZZ + `><zz:x>` + seenRun + `</zz:x><zz:y>` + hiddenRun + `</zz:y></w:ins>`, 1},
		"all that stand for their content":    {`<w:ins mc:ProcessContent="zz:*"` + foreignZZ + `><zz:y>` + seenRun + `</zz:y></w:ins>`, 0},
		"not any more where that has ended":   {`<w:ins mc:ProcessContent="zz:*"` + foreignZZ + `>` + seenRun + `</w:ins><zz:x` + foreignZZ + `>` + hiddenRun + `</zz:x>`, 1},
		"properties of nobody hide nothing":   {`<w:r><w:rPr><zz:vanish` + foreignZZ + `/></w:rPr><w:t>seen</w:t></w:r>`, 0},
		"properties in a choice":              {seenRun + hidingRun(alternatives(` Requires="wps"`, `<w:vanish/>`, ``)), 1},
		"properties in a fallback":            {seenRun + hidingRun(alternatives(` Requires="zz"`, ``, `<w:vanish/>`)), 1},
		"nobody takes back that it is hidden": {seenRun + hidingRun(`<w:vanish/><zz:vanish`+foreignZZ+` zz:val="0"/>`), 1},
		"nor by a value of its own":           {seenRun + hidingRun(`<w:vanish`+foreignZZ+` zz:val="0" w:val="1"/>`), 1},
		"nor by one without a namespace":      {seenRun + hidingRun(`<w:vanish val="0"/>`), 1},
		"nor its size":                        {seenRun + hidingRun(`<w:sz w:val="2"/><zz:sz`+foreignZZ+` zz:val="40"/>`), 1},
		"nor in the other form":               {seenRun + hidingRun(`<w:vanish/><s:vanish`+strict+` s:val="0"/>`), 1},
		"an emoji, by its code": {`<w:r><w:t>s</w:t>` + alternatives(` Requires="e" xmlns:e="`+symbolSpace+`"`,
			`<e:symEx xmlns:e="`+symbolSpace+`" e:font="Segoe UI Emoji" e:char="65"/>`, `<w:t>`+injected+`</w:t>`) + `<w:t>en</w:t></w:r>`, 0},
	} {
		d := read(t, typeDOCX, docxOf(t, `<w:p>`+c.para+`</w:p>`))
		require.Equal(t, "seen\n", d.Text, name)
		require.Equal(t, c.hidden, d.Hidden, name)
	}
}

// Sizes may have a unit (ST_HpsMeasure); one that cannot be read says nothing.
func TestC073_DOCXSizesWithUnits(t *testing.T) {
	for value, hides := range map[string]bool{
		"2": true, "1": true, "0": true, "1pt": true, "0.5pt": true, "0.01in": true, "0.3mm": true, "0.03cm": true, "0.08pc": true, "0.08pi": true,
		"3": false, "21": false, "1.5pt": false, "12pt": false, "1mm": false, "1pc": false, "0.1in": false, "nan": false, "-1pt": false, "pt": false, "": false,
	} {
		d := read(t, typeDOCX, docxOf(t, `<w:p><w:r><w:rPr><w:sz w:val="`+value+`"/></w:rPr><w:t>x</w:t></w:r></w:p>`))
		require.Equal(t, map[bool]string{true: "", false: "x\n"}[hides], d.Text, value)
		require.Equal(t, map[bool]int{true: 1, false: 0}[hides], d.Hidden, value)
	}
	small := `<w:styles ` + wordSpaces + `><w:style w:type="paragraph" w:styleId="dust"><w:rPr><w:sz w:val="2"/></w:rPr></w:style></w:styles>`
	d := read(t, typeDOCX, docxOf(t, `<w:p><w:pPr><w:pStyle w:val="dust"/></w:pPr><w:r><w:rPr><w:sz w:val="nan"/></w:rPr><w:t>x</w:t></w:r></w:p>`, "word/styles.xml", small))
	require.Empty(t, d.Text)
}

// Which style holds for a run (ECMA-376 part 1, 17.7.2), and how those that hide
// add up (17.7.3).
func TestC073_DOCXStylesThatHide(t *testing.T) {
	const (
		vanish = `<w:rPr><w:vanish/></w:rPr>`
		dust   = `<w:rPr><w:sz w:val="2"/></w:rPr>`
		common = `<w:rPr><w:sz w:val="22"/></w:rPr>`
	)
	style := func(kind, id, says string) string {
		return `<w:style w:type="` + kind + `" w:styleId="` + id + `">` + says + `</w:style>`
	}
	normal := func(says string) string {
		return `<w:style w:type="paragraph" w:default="true" w:styleId="n">` + says + `</w:style>`
	}
	defaults := func(says string) string {
		return `<w:docDefaults><w:rPrDefault>` + says + `</w:rPrDefault></w:docDefaults>`
	}
	of := func(paragraph, run string) string {
		return `<w:p><w:pPr>` + paragraph + `</w:pPr><w:r><w:rPr>` + run + `</w:rPr><w:t>x</w:t></w:r></w:p>`
	}
	plain := `<w:p><w:r><w:t>x</w:t></w:r></w:p>`
	inTable := `<w:tbl><w:tblPr><w:tblStyle w:val="t"/></w:tblPr><w:tr><w:tc>` + plain + `</w:tc></w:tr></w:tbl>`
	for name, c := range map[string]struct {
		styles, body string
		hides        bool
	}{
		"the defaults":                           {defaults(vanish), plain, true},
		"the default style":                      {normal(dust), plain, true},
		"a style that is not there":              {normal(vanish), of(`<w:pStyle w:val="nope"/>`, ""), true},
		"a paragraph's over the default style":   {normal(common) + style("paragraph", "d", dust), of(`<w:pStyle w:val="d"/>`, `<w:b/>`), true},
		"a paragraph's over the defaults":        {defaults(common) + style("paragraph", "d", dust) + style("character", "b", ""), of(`<w:pStyle w:val="d"/>`, `<w:rStyle w:val="b"/>`), true},
		"the run's own over all":                 {defaults(vanish) + normal(dust), of("", `<w:vanish w:val="0"/><w:sz w:val="20"/>`), false},
		"a style of letters takes nothing back":  {style("paragraph", "v", vanish) + style("character", "c", `<w:rPr><w:vanish w:val="0"/></w:rPr>`), of(`<w:pStyle w:val="v"/>`, `<w:rStyle w:val="c"/>`), true},
		"two styles toggle":                      {style("paragraph", "v", vanish) + style("character", "c", vanish), of(`<w:pStyle w:val="v"/>`, `<w:rStyle w:val="c"/>`), false},
		"based on one that takes it back":        {style("paragraph", "v", vanish) + style("paragraph", "w", `<w:basedOn w:val="v"/><w:rPr><w:vanish w:val="0"/></w:rPr>`), of(`<w:pStyle w:val="w"/>`, ""), false},
		"what was before a tracked change":       {style("paragraph", "v", `<w:rPr><w:vanish/><w:rPrChange><w:rPr><w:vanish w:val="0"/></w:rPr></w:rPrChange></w:rPr>`), of(`<w:pStyle w:val="v"/>`, ""), true},
		"in an element of nobody":                {style("paragraph", "v", `<w:rPr><w:vanish/></w:rPr><zz:x`+foreignZZ+`><w:rPr><w:vanish w:val="0"/></w:rPr></zz:x>`), of(`<w:pStyle w:val="v"/>`, ""), true},
		"in a choice":                            {style("paragraph", "v", alternatives(` Requires="zz"`, common, dust)), of(`<w:pStyle w:val="v"/>`, ""), true},
		"a table's":                              {style("table", "t", vanish), inTable, true},
		"a table's over the defaults":            {defaults(common) + style("table", "t", dust), inTable, true},
		"not after the table":                    {style("table", "t", vanish), `<w:tbl><w:tblPr><w:tblStyle w:val="t"/></w:tblPr></w:tbl>` + plain, false},
		"always hidden, whatever the other says": {"", of("", `<w:specVanish/><w:vanish w:val="0"/>`), true},
		"the other does not undo it":             {"", of("", `<w:vanish/><w:specVanish w:val="0"/>`), true},
		"nothing":                                {defaults(common) + normal(""), plain, false},
	} {
		d := read(t, typeDOCX, docxOf(t, c.body, "word/styles.xml", `<w:styles `+wordSpaces+`>`+c.styles+`</w:styles>`))
		require.Equal(t, c.hides, strings.TrimSpace(d.Text) == "", "%s: %q", name, d.Text)
		require.Equal(t, map[bool]int{true: 1, false: 0}[c.hides], d.Hidden, name)
	}
}

// Formulas and drawings hide as runs do.
func TestC073_DOCXHidesFormulasAndDrawings(t *testing.T) {
	box := `<wps:txbx><w:txbxContent><w:p>` + hiddenRun + `</w:p></w:txbxContent></wps:txbx>`
	const (
		drawing = ` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"`
		vml     = ` xmlns:v="urn:schemas-microsoft-com:vml"`
	)
	for name, body := range map[string]string{
		"a formula":        `<m:oMath><m:r><w:rPr><w:vanish/></w:rPr><m:t>` + injected + `</m:t></m:r></m:oMath>`,
		"a drawing":        `<w:r><w:drawing><wp:inline` + drawing + `><wp:docPr id="1" hidden="1"/>` + box + `</wp:inline></w:drawing></w:r>`,
		"an old drawing":   `<w:r><w:pict><v:shape` + vml + ` style="position:absolute;visibility:hidden"><v:textbox><w:txbxContent><w:p>` + hiddenRun + `</w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>`,
		"deleted letters":  `<w:r><w:delText>` + injected + `</w:delText></w:r>`,
		"a box in nothing": `<zz:x` + foreignZZ + `>` + box + `</zz:x>`,
	} {
		d := read(t, typeDOCX, docxOf(t, `<w:p>`+seenRun+body+`</w:p>`))
		require.Equal(t, "seen\n", d.Text, name)
		require.Equal(t, 1, d.Hidden, name)
	}
	shown := `<w:p><w:r><w:drawing><wp:anchor` + drawing + `><wp:docPr id="1" hidden="0"/><wps:txbx><w:txbxContent><w:p>` + seenRun + `</w:p></w:txbxContent></wps:txbx></wp:anchor></w:drawing></w:r></w:p>`
	require.Equal(t, "seen\n", read(t, typeDOCX, docxOf(t, shown)).Text)
}

// A part may bind some prefixes on the way to a place, not thousands.
func TestDOCX_Prefixes(t *testing.T) {
	bind := func(n int) string {
		return strings.Repeat(`<w:p `+numbered(n/4, `xmlns:a#="urn:a" `)+`>`, 4) + seenRun + strings.Repeat(`</w:p>`, 4)
	}
	require.Equal(t, "seen\n", read(t, typeDOCX, docxOf(t, strings.Repeat(bind(800), 3))).Text[:5])
	require.Contains(t, decode(t, typeDOCX, docxOf(t, bind(1200))).Problem, "1,000 namespace prefixes")
}
