package config

import "go.yaml.in/yaml/v3"

// Section is a part of the file that is read where its things are made: the
// programs that only start and approve runs need to know nothing of it. The zero
// Section was not given.
type Section struct {
	File string
	Node *yaml.Node
}
