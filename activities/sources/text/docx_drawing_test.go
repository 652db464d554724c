package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each level of a drawing may be hidden, with all that is in it, and nothing else.
func TestC073_DOCXHidesDrawingsAtEachLevel(t *testing.T) {
	const spaces = ` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"` +
		` xmlns:wpg="http://schemas.microsoft.com/office/word/2010/wordprocessingGroup" xmlns:wpc="http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas"`
	shape := func(run, says string) string {
		return `<wps:wsp><wps:cNvPr id="2" name="x"` + says + `/><wps:cNvSpPr/><wps:txbx><w:txbxContent><w:p>` + run + `</w:p></w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp>`
	}
	drawing := func(anchor, properties, content string) string {
		return `<w:p><w:r><w:drawing><wp:anchor` + spaces + anchor + `><wp:docPr id="1" name="x"` + properties + `/><a:graphic><a:graphicData uri="x">` + content +
			`</a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>`
	}
	const hidden = ` hidden="1"`
	group := func(says, content string) string {
		return `<wpg:wgp><wpg:cNvPr id="3"` + says + `/>` + content + `</wpg:wgp>`
	}
	inner := func(says, content string) string {
		return `<wpg:grpSp><wpg:cNvPr id="4"` + says + `/>` + content + `</wpg:grpSp>`
	}
	seen, hid := shape(seenRun, ""), shape(hiddenRun, "")
	for name, c := range map[string]struct {
		body   string
		hidden int
	}{
		"none is":                  {drawing("", "", seen), 0},
		"none is, and says so":     {drawing(` hidden="0"`, ` hidden="false"`, group(` hidden="0"`, shape(seenRun, ` hidden="0"`))), 0},
		"the place":                {drawing(hidden, "", hid) + drawing("", "", seen), 1},
		"the place, in words":      {drawing(` hidden="true"`, "", hid) + drawing("", "", seen), 1},
		"the drawing":              {drawing("", hidden, hid) + drawing("", "", seen), 1},
		"the shape":                {drawing("", "", shape(hiddenRun, hidden)) + drawing("", "", seen), 1},
		"a shape by itself":        {`<w:p><w:r><w:drawing>` + shape(hiddenRun, hidden) + `</w:drawing></w:r></w:p>` + drawing("", "", seen), 1},
		"a shape of a group":       {drawing("", "", group("", shape(hiddenRun, hidden)+seen)), 1},
		"a group":                  {drawing("", "", group(hidden, hid+hid)) + drawing("", "", seen), 2},
		"a group in a group":       {drawing("", "", group("", inner(hidden, hid)+inner("", seen))), 1},
		"a shape of a canvas":      {drawing("", "", `<wpc:wpc>`+shape(hiddenRun, hidden)+seen+`</wpc:wpc>`), 1},
		"properties in a choice":   {drawing("", "", `<wps:wsp>`+alternatives(` Requires="wps"`, `<wps:cNvPr id="2" hidden="1"/>`, ``)+hid+`</wps:wsp>`+seen), 1},
		"by nobody's attribute":    {drawing("", "", shape(seenRun, foreignZZ+` zz:hidden="1"`)), 0},
		"a text beside the shapes": {drawing("", "", seen+`<w:p>`+hidingRun(`<w:vanish/>`)+`</w:p>`), 1},
	} {
		d := read(t, typeDOCX, docxOf(t, c.body))
		require.Equal(t, "seen\n", d.Text, name)
		require.Equal(t, c.hidden, d.Hidden, name)
	}
}

// Letters without a fill leave no mark, unless they have an outline.
func TestC073_DOCXLettersWithoutFill(t *testing.T) {
	const (
		bare     = `<w14:textFill xmlns:w14="` + effectSpace + `"><w14:noFill/></w14:textFill>`
		red      = `<w14:textFill xmlns:w14="` + effectSpace + `"><w14:solidFill><w14:srgbClr w14:val="FF0000"/></w14:solidFill></w14:textFill>`
		lined    = `<w14:textOutline xmlns:w14="` + effectSpace + `" w14:w="9525"><w14:solidFill/><w14:round/></w14:textOutline>`
		unlined  = `<w14:textOutline xmlns:w14="` + effectSpace + `"><w14:noFill/></w14:textOutline>`
		inStyle  = `<w:rStyle w:val="bare"/>`
		ofNobody = `<zz:textFill` + foreignZZ + `><zz:noFill/></zz:textFill>`
	)
	styles := `<w:styles ` + wordSpaces + `><w:style w:type="character" w:styleId="bare"><w:rPr>` + bare + `</w:rPr></w:style></w:styles>`
	for properties, hides := range map[string]bool{
		bare: true, bare + unlined: true, unlined + bare: true, inStyle: true, inStyle + unlined: true, alternatives(` Requires="wps"`, bare, ``): true,
		"": false, red: false, unlined: false, bare + lined: false, inStyle + red: false, inStyle + lined: false, ofNobody: false, alternatives(` Requires="zz"`, bare, ``): false,
	} {
		d := read(t, typeDOCX, docxOf(t, `<w:p><w:r><w:rPr>`+properties+`</w:rPr><w:t>x</w:t></w:r></w:p>`, "word/styles.xml", styles))
		require.Equal(t, map[bool]string{true: "", false: "x\n"}[hides], d.Text, properties)
		require.Equal(t, map[bool]int{true: 1, false: 0}[hides], d.Hidden, properties)
	}
	for _, around := range []string{seenRun + `<w14:textFill xmlns:w14="` + effectSpace + `">` + hiddenRun + `</w14:textFill>`,
		`<w:r><w:t>se<w14:textFill xmlns:w14="` + effectSpace + `"><w:t>` + injected + `</w:t></w14:textFill>en</w:t></w:r>`} {
		d := read(t, typeDOCX, docxOf(t, `<w:p>`+around+`</w:p>`))
		require.Equal(t, "seen\n", d.Text, around)
		require.Equal(t, 1, d.Hidden, around)
	}
}
