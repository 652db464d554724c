package provider

import (
	"bytes"
	"encoding/json"
	"strings"
)

// saysTwice reports whether an object of a JSON document has two members of one
// name, or of names that Go's decoder takes for one because they differ in their
// case. It would take the last of them, another reader the first.
//
// What stands under "input" is left out: with Anthropic's API it is the reply
// itself, which is judged by its own rules.
func saysTwice(document []byte) bool {
	tokens := json.NewDecoder(bytes.NewReader(document))
	tokens.UseNumber()
	var open []level
	for {
		token, err := tokens.Token()
		if err != nil {
			return false // its end: that it is JSON is known
		}
		top := len(open) - 1
		switch token := token.(type) {
		case json.Delim:
			switch token {
			case '{', '[':
				free := top >= 0 && (open[top].free || open[top].name == "input")
				open = append(open, level{isObject: token == '{', free: free})
				continue
			default:
				open = open[:top]
			}
			top--
		case string:
			if top >= 0 && open[top].isObject && !open[top].hasName {
				if open[top].named(token) {
					return true
				}
				continue
			}
		}
		if top >= 0 {
			open[top].hasName, open[top].name = false, "" // a value has ended
		}
	}
}

// level is an object or array that is being read.
type level struct {
	isObject bool
	free     bool // nobody asks for its members
	hasName  bool // its next token belongs to the member name
	name     string
	seen     map[string]bool
}

// named takes a member's name, and reports whether it was there already.
func (l *level) named(name string) bool {
	l.hasName, l.name = true, name
	if l.free {
		return false
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	folded := strings.ToLower(strings.ToUpper(name)) // also "ſ", which has no smaller form
	if l.seen[folded] {
		return true
	}
	l.seen[folded] = true
	return false
}
