package cli

import (
	"encoding/json"
	"io"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// PrintJSON prints a value as people and programs read it: indented, and '<'
// as itself.
func PrintJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// Escaped is plan.Escape for each of a list of names.
func Escaped(names []string) []string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = plan.Escape(name)
	}
	return escaped
}
