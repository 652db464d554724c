package outline

import (
	"errors"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// readYAML returns the blocks of a YAML file, all its documents. Aliases are
// not followed: each thing is said once, where it stands. Its error says that it
// is no YAML, or beyond the bounds of a tree.
func readYAML(document string) ([]block, error) {
	if strictyaml.MaxNodes(document) > maxPieces {
		return nil, errTooLarge
	}
	d := yaml.NewDecoder(strings.NewReader(document))
	var roots []*yaml.Node
	for {
		var n yaml.Node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if isDeep(&n, maxTreeDepth+1) { // the document itself is a node
			return nil, errTooDeep
		}
		roots = append(roots, n.Content...)
	}
	r := yamlReader{lines: strings.Split(document, "\n"), last: map[*yaml.Node]int{}}
	r.findEnds(roots)
	trees := make([]tree, 0, len(roots))
	for _, root := range roots {
		trees = append(trees, r.tree(root))
	}
	var blocks []block // made when the nodes are not needed any more
	for _, t := range trees {
		blocks = append(blocks, treeBlocks(t)...)
	}
	return blocks, nil
}

// isDeep reports whether lists and mappings lie in one another more than limit
// deep. The parser itself ends at 10,000.
func isDeep(n *yaml.Node, limit int) bool {
	if len(n.Content) == 0 {
		return false
	}
	return limit == 0 || slices.ContainsFunc(n.Content, func(kid *yaml.Node) bool { return isDeep(kid, limit-1) })
}

type yamlReader struct {
	lines []string
	last  map[*yaml.Node]int // the line on which a scalar ends
}

// findEnds works out where scalars end, which the parser does not say: before
// the next node, but for blank lines, comments and ends of documents.
func (r yamlReader) findEnds(roots []*yaml.Node) {
	var open *yaml.Node // a scalar whose end is not known yet
	var visit func(nodes []*yaml.Node)
	visit = func(nodes []*yaml.Node) {
		for _, n := range nodes {
			r.end(open, n.Line-1)
			open = nil
			if n.Kind == yaml.ScalarNode {
				open = n
			}
			visit(n.Content)
		}
	}
	visit(roots)
	r.end(open, len(r.lines))
}

func (r yamlReader) end(n *yaml.Node, line int) {
	if n == nil {
		return
	}
	for line > n.Line && saysNothing(r.lines[line-1]) {
		line--
	}
	r.last[n] = max(line, n.Line)
}

func saysNothing(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#' || line == "---" || line == "..."
}

func (r yamlReader) tree(n *yaml.Node) tree {
	t := tree{first: n.Line, last: n.Line}
	switch n.Kind {
	case yaml.MappingNode:
		t.kind = mapping
		t.keys = make([]tree, 0, len(n.Content)/2)
		t.kids = make([]tree, 0, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			t.keys = append(t.keys, r.tree(n.Content[i]))
			t.kids = append(t.kids, r.tree(n.Content[i+1]))
		}
	case yaml.SequenceNode:
		t.kind = list
		t.kids = make([]tree, 0, len(n.Content))
		for _, kid := range n.Content {
			t.kids = append(t.kids, r.tree(kid))
		}
	default:
		t.kind = scalar
		if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
			t.text, t.last = n.Value, r.last[n]
		}
	}
	for _, kid := range t.kids {
		t.last = max(t.last, kid.last)
	}
	return t
}
