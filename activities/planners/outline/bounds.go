package outline

import (
	"errors"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// What is beyond these bounds, which no document written by people comes near,
// would fill the worker's memory, or the stack, whose end is the worker's.
const (
	// maxReadBytes bounds the texts of all documents together. They are read one
	// after the other, but their entries stay in memory.
	maxReadBytes = 64 << 20
	// maxPieces bounds the lines of a document, and the values of a tree.
	maxPieces = 200_000
	// maxCells bounds the cells of a document's tables. Those of Markdown are
	// weighed, see markdown_weight.go.
	maxCells = 1_000_000
	// maxEntries bounds the entries of all documents together.
	maxEntries = 500_000
	// maxTreeDepth bounds the nesting of JSON and YAML, as elsewhere.
	maxTreeDepth = plan.MaxDepth
)

var (
	errTooDeep  = errors.New("nested too deep")
	errTooLarge = errors.New("too many values")
	errTooHeavy = errors.New("nested or marked up beyond measure")
)

// firstPieces returns the lines of a text up to maxPieces, and whether there
// are more. The blocks that one line of a decoded HTML file holds count as lines.
func firstPieces(text string) (first string, cut bool) {
	if len(text) < maxPieces {
		return text, false
	}
	pieces := 0
	for i := range len(text) {
		end := i + 1
		switch {
		case text[i] == '\n':
		case text[i] == blockBreak[0] && strings.HasPrefix(text[i:], blockBreak):
			end = i + len(blockBreak)
		default:
			continue
		}
		if pieces++; pieces == maxPieces {
			return text[:end], end < len(text)
		}
	}
	return text, false
}
