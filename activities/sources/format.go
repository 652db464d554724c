package sources

import (
	"path"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The formats that are read. A file's name decides, never its content, so that
// what is claimed can be told from a listing.
var mediaTypes = map[string]string{
	".md":       "text/markdown",
	".markdown": "text/markdown",
	".txt":      "text/plain",
	".text":     "text/plain",
	".html":     "text/html",
	".htm":      "text/html",
	".csv":      "text/csv",
	".json":     "application/json",
	".yaml":     "application/yaml",
	".yml":      "application/yaml",
}

// Names without an extension that are text by custom.
var textNames = map[string]bool{
	"readme": true, "license": true, "licence": true, "copying": true,
	"notice": true, "changelog": true, "todo": true,
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
const ClaimedFormats = "Markdown, text, HTML, CSV, JSON and YAML"

func unsupported(name string) string {
	ext := path.Ext(name)
	if ext == "" || ext == name {
		return "unsupported format (no extension)"
	}
	return "unsupported format " + plan.Escape(strings.ToLower(ext))
}
