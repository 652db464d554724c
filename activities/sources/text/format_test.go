package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMediaType(t *testing.T) {
	for name, want := range map[string]string{
		"a.md": "text/markdown", "A.MARKDOWN": "text/markdown", "x/y.Txt": "text/plain", "LICENSE": "text/plain", "x/Readme": "text/plain",
		"p.htm": "text/html", "t.csv": "text/csv", "a.json": "application/json", "a.yml": "application/yaml",
		"周报.docx": typeDOCX, "r.PDF": typePDF,
		"a.xlsx": "", "Makefile": "", ".md": "text/markdown", "": "", "a.": "", "md": "",
	} {
		require.Equal(t, want, MediaType(name), name)
	}
}

func TestUnsupported(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.XLSX":     "unsupported format .xlsx (Excel)",
		"a.doc":        "unsupported format .doc (Word before 2007)",
		"logo.PNG":     "unsupported format .png",
		"Makefile":     "unsupported format (no extension)",
		"a.d/Makefile": "unsupported format (no extension)",
		".env":         "unsupported format (no extension)",
		"a.x\u202ey\n": `unsupported format .x\u{202E}y\u{000A}`,
	} {
		require.Equal(t, want, Unsupported(name), name)
	}
}
