package strictyaml

import "go.yaml.in/yaml/v3"

// maxAliased is for how many values the aliases of one part of a file may
// stand. A few lines of them can stand for millions, and each would be read, and
// compiled when it holds an expression.
const maxAliased = 1000

// CheckAliases refuses aliases that stand for too much, or for a part of
// themselves. Decode does so first.
func CheckAliases(file string, node *yaml.Node) error {
	c := counter{sizes: map[*yaml.Node]int{}}
	c.size(node)
	switch {
	case c.circular != nil:
		return Fail(file, c.circular, "the alias *%s is a part of itself", c.circular.Value)
	case c.aliased > maxAliased:
		return Fail(file, c.largest, "the aliases stand for more than %d values; write out what you need", maxAliased)
	default:
		return nil
	}
}

// counter counts what nodes stand for, each of them once.
type counter struct {
	sizes             map[*yaml.Node]int // 0: being counted
	aliased           int                // values that stand there by an alias, up to a little over maxAliased
	largest, circular *yaml.Node
}

func (c *counter) size(node *yaml.Node) int {
	if node.Kind == yaml.AliasNode {
		return c.alias(node)
	}
	if known, ok := c.sizes[node]; ok {
		return known
	}
	c.sizes[node] = 0
	total := 1
	for _, inside := range node.Content {
		total = min(total+c.size(inside), maxAliased+1)
	}
	c.sizes[node] = total
	return total
}

func (c *counter) alias(node *yaml.Node) int {
	size := c.size(node.Alias)
	if size == 0 && c.circular == nil {
		c.circular = node
	}
	if c.aliased = min(c.aliased+size, maxAliased+1); c.aliased > maxAliased && c.largest == nil {
		c.largest = node
	}
	return size
}
