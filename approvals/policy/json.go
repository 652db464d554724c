package policy

import (
	"bytes"
	"encoding/json"
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// json writes a YAML value as the canonical JSON that an action's parameters
// are: what plan.Canonicalize would refuse is refused here.
func (s source) json(node *yaml.Node) (json.RawMessage, error) {
	var out bytes.Buffer
	if err := s.writeJSON(&out, node); err != nil {
		return nil, err
	}
	canonical, err := plan.Canonicalize(out.Bytes())
	if err != nil {
		return nil, s.fail(node.Line, "parameters: %s", err)
	}
	return canonical, nil
}

func (s source) writeJSON(out *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		members, err := s.entries(node, "")
		if err != nil {
			return err
		}
		out.WriteByte('{')
		for i, m := range members {
			if i > 0 {
				out.WriteByte(',')
			}
			writeText(out, m.key.Value)
			out.WriteByte(':')
			if err := s.writeJSON(out, m.value); err != nil {
				return err
			}
		}
		out.WriteByte('}')
		return nil
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, item := range node.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := s.writeJSON(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		if err := writeScalar(out, node); err != nil {
			return s.fail(node.Line, "parameters: %s", err)
		}
		return nil
	default:
		return s.fail(node.Line, "%s", expected(node, "parameters are values"))
	}
}

// writeScalar takes numbers and truths as they stand there when JSON writes
// them so too, and dates for texts, for JSON has none.
func writeScalar(out *bytes.Buffer, node *yaml.Node) error {
	switch node.ShortTag() {
	case "!!str", "!!timestamp":
		writeText(out, node.Value)
		return nil
	case "!!null":
		out.WriteString("null")
		return nil
	case "!!int", "!!float", "!!bool":
		if json.Valid([]byte(node.Value)) {
			out.WriteString(node.Value)
			return nil
		}
	}
	return errors.New("JSON has no value " + shorten(plan.Escape(node.Value)))
}

func writeText(out *bytes.Buffer, text string) {
	encoded, err := json.Marshal(text)
	if err != nil { // a text can always be written
		encoded = []byte(`""`)
	}
	out.Write(encoded)
}
