package text

import (
	"fmt"
	"path"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Media types of the formats that are not text as they are.
const (
	typeHTML = "text/html"
	typeDOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	typePDF  = "application/pdf"
)

// The formats that are read. A file's name decides, never its content, so that
// what is claimed can be told from a listing.
var mediaTypes = map[string]string{
	".md":       "text/markdown",
	".markdown": "text/markdown",
	".txt":      "text/plain",
	".text":     "text/plain",
	".html":     typeHTML,
	".htm":      typeHTML,
	".csv":      "text/csv",
	".json":     "application/json",
	".yaml":     "application/yaml",
	".yml":      "application/yaml",
	".docx":     typeDOCX,
	".pdf":      typePDF,
}

// Names without an extension that are text by custom.
var textNames = map[string]bool{
	"readme": true, "license": true, "licence": true, "copying": true,
	"notice": true, "changelog": true, "todo": true,
}

// knownFormats names formats of documents that are not read; for others the
// extension says enough.
var knownFormats = map[string]string{
	".doc": "Word before 2007", ".dot": "Word before 2007", ".docm": "Word with macros", ".dotx": "Word template",
	".rtf": "Rich Text", ".odt": "OpenDocument text", ".wps": "WPS Writer", ".pages": "Apple Pages",
	".xls": "Excel before 2007", ".xlsx": "Excel", ".xlsm": "Excel with macros", ".ods": "OpenDocument table", ".et": "WPS table",
	".numbers": "Apple Numbers", ".parquet": "Parquet",
	".ppt": "PowerPoint before 2007", ".pptx": "PowerPoint", ".odp": "OpenDocument slides", ".dps": "WPS slides", ".key": "Apple Keynote",
	".epub": "e-book", ".mobi": "e-book", ".xps": "XPS", ".ofd": "OFD", ".ps": "PostScript", ".tex": "TeX",
	".eml": "mail", ".msg": "Outlook mail", ".mbox": "mailbox", ".one": "OneNote", ".ics": "calendar", ".vsdx": "Visio",
	".rst": "reStructuredText", ".adoc": "AsciiDoc", ".org": "Org mode", ".xml": "XML", ".toml": "TOML", ".ipynb": "Jupyter notebook",
}

// MediaType returns the media type of a claimed format, in whatever case the
// name is written, and "" for a name that no claimed format has.
func MediaType(name string) string {
	name = strings.ToLower(path.Base(name))
	if textNames[name] {
		return "text/plain"
	}
	return mediaTypes[path.Ext(name)]
}

// ClaimedFormats names the formats for messages.
const ClaimedFormats = "Markdown, text, HTML, CSV, JSON, YAML, DOCX and PDF"

// Unsupported says why a file whose name has no [MediaType] is not read. It
// names the format, for one line of a terminal or page.
func Unsupported(name string) string {
	name = path.Base(name)
	ext := strings.ToLower(path.Ext(name))
	if ext == "" || len(ext) == len(name) {
		return "unsupported format (no extension)"
	}
	if known := knownFormats[ext]; known != "" {
		return fmt.Sprintf("unsupported format %s (%s)", ext, known)
	}
	return "unsupported format " + plan.Escape(ext)
}
