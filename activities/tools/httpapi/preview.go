package httpapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// preview shows a request as it will be sent, and what it replaces.
func preview(o *outgoing, before string) string {
	var b strings.Builder
	b.WriteString(o.method + " " + o.url.String() + "\n")
	for _, name := range slices.Sorted(maps.Keys(o.header)) {
		b.WriteString(name + ": " + o.header.Get(name) + "\n")
	}
	if len(o.body) > 0 {
		b.WriteString("\n" + readable(o.body) + "\n")
	}
	if before != "" {
		b.WriteString("\nNow there:\n" + before + "\n")
	}
	return b.String()
}

// readable is a JSON body with its members on lines of their own; any other
// body is shown as it is.
func readable(body []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return string(body)
	}
	return b.String()
}
