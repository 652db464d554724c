package text

// Namespaces of WordprocessingML, transitional and strict (ECMA-376 part 1,
// annex A), of formulas, drawings and their markup compatibility.
const (
	wordSpace       = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	wordStrictSpace = "http://purl.oclc.org/ooxml/wordprocessingml/main"
	mathSpace       = "http://schemas.openxmlformats.org/officeDocument/2006/math"
	mathStrictSpace = "http://purl.oclc.org/ooxml/officeDocument/math"
	vmlSpace        = "urn:schemas-microsoft-com:vml"
	symbolSpace     = "http://schemas.microsoft.com/office/word/2015/wordml/symex"
	compatSpace     = "http://schemas.openxmlformats.org/markup-compatibility/2006"
)

// vocabularies are the namespaces that Word understands ([MS-DOCX], [MS-ODRAWXML]
// and ECMA-376), which decides what of a document it shows; true for those in
// which text, or what holds text, may stand.
var vocabularies = map[string]bool{
	wordSpace: true, wordStrictSpace: true, mathSpace: true, mathStrictSpace: true, vmlSpace: true, symbolSpace: true,

	"http://schemas.openxmlformats.org/drawingml/2006/main":                  true,
	"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": true,
	"http://purl.oclc.org/ooxml/drawingml/main":                              true,
	"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":             true,
	"http://schemas.microsoft.com/office/word/2010/wordprocessingShape":      true,
	"http://schemas.microsoft.com/office/word/2010/wordprocessingGroup":      true,
	"http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas":     true,

	"http://schemas.openxmlformats.org/officeDocument/2006/relationships": false,
	"http://purl.oclc.org/ooxml/officeDocument/relationships":             false,
	"http://schemas.openxmlformats.org/schemaLibrary/2006/main":           false,
	"http://schemas.openxmlformats.org/drawingml/2006/picture":            false,
	"http://schemas.openxmlformats.org/drawingml/2006/chart":              false,
	"http://schemas.openxmlformats.org/drawingml/2006/diagram":            false,
	"http://schemas.openxmlformats.org/drawingml/2006/lockedCanvas":       false,
	"http://purl.oclc.org/ooxml/drawingml/picture":                        false,
	"http://purl.oclc.org/ooxml/drawingml/chart":                          false,
	"http://purl.oclc.org/ooxml/drawingml/diagram":                        false,
	"http://purl.oclc.org/ooxml/drawingml/lockedCanvas":                   false,
	"urn:schemas-microsoft-com:office:office":                             false,
	"urn:schemas-microsoft-com:office:word":                               false,
	"http://schemas.microsoft.com/office/word/2006/wordml":                false,
	effectSpace: false,
	"http://schemas.microsoft.com/office/word/2012/wordml":                false,
	"http://schemas.microsoft.com/office/word/2016/wordml/cid":            false,
	"http://schemas.microsoft.com/office/word/2018/wordml":                false,
	"http://schemas.microsoft.com/office/word/2018/wordml/cex":            false,
	"http://schemas.microsoft.com/office/word/2020/wordml/sdtdatahash":    false,
	"http://schemas.microsoft.com/office/word/2023/wordml/word16du":       false,
	"http://schemas.microsoft.com/office/word/2024/wordml/sdtformatlock":  false,
	"http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing": false,
	"http://schemas.microsoft.com/office/word/2010/wordprocessingInk":     false,
	"http://schemas.microsoft.com/office/2019/extlst":                     false,
	"http://schemas.microsoft.com/office/drawing/2010/main":               false,
	"http://schemas.microsoft.com/office/drawing/2012/main":               false,
	"http://schemas.microsoft.com/office/drawing/2014/main":               false,
	"http://schemas.microsoft.com/office/drawing/2016/SVG/main":           false,
	"http://schemas.microsoft.com/office/drawing/2016/ink":                false,
	"http://schemas.microsoft.com/office/drawing/2017/model3d":            false,
	"http://schemas.microsoft.com/office/drawing/2007/8/2/chart":          false,
	"http://schemas.microsoft.com/office/drawing/2014/chart":              false,
	"http://schemas.microsoft.com/office/drawing/2014/chartex":            false,
	"http://schemas.microsoft.com/office/drawing/2015/9/8/chartex":        false,
	"http://schemas.microsoft.com/office/drawing/2015/10/21/chartex":      false,
	"http://schemas.microsoft.com/office/drawing/2016/5/9/chartex":        false,
	"http://schemas.microsoft.com/office/drawing/2016/5/10/chartex":       false,
	"http://schemas.microsoft.com/office/drawing/2016/5/11/chartex":       false,
	"http://schemas.microsoft.com/office/drawing/2016/5/12/chartex":       false,
	"http://schemas.microsoft.com/office/drawing/2016/5/13/chartex":       false,
	"http://schemas.microsoft.com/office/drawing/2016/5/14/chartex":       false,
}
