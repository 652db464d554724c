package approvals

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// maxPolicyBytes bounds a policy file.
const maxPolicyBytes = 64 << 10

// ParsePolicy reads a policy file: one YAML mapping with these fields and no
// others. All but resolvers are required.
//
//	label: weekly-report            # letters, digits and . _ -
//	approvers:                      # people, by handle or mail address
//	  - mei.chen@example.com
//	decide_within: 24h              # how long a plan waits for a decision
//	grant_life: 8h                  # how long an approval may be used
//	resolvers:                      # who may say what became of an action of
//	  - ops@example.com             # unknown outcome; the approvers, if none are named
//
// Every error has the form "filename:line: reason", as filename is given.
// Aliases and a second document are refused: what stands in the file is what
// holds.
func ParsePolicy(raw []byte, filename string) (Policy, error) {
	file := policyFile{name: filename}
	if len(raw) > maxPolicyBytes {
		return Policy{}, file.fail(1, "the file has %d bytes; at most %d are allowed", len(raw), maxPolicyBytes)
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return Policy{}, file.fail(1, "the file is empty")
		}
		return Policy{}, file.syntax(err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return Policy{}, file.fail(max(1, second.Line), "more follows after the end of the document")
	}
	return file.policy(document.Content[0])
}

// policyFile reads nodes and names their lines.
type policyFile struct{ name string }

func (f policyFile) fail(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", f.name, line, fmt.Sprintf(format, args...))
}

// syntax takes the line out of the YAML reader's error text, which is the only
// place where it has it.
func (f policyFile) syntax(err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if _, scanErr := fmt.Sscanf(reason, "line %d:", &line); scanErr == nil {
		_, reason, _ = strings.Cut(reason, ": ")
	}
	return f.fail(line, "no YAML: %s", reason)
}

func (f policyFile) policy(root *yaml.Node) (Policy, error) {
	if root.Kind != yaml.MappingNode {
		return Policy{}, f.fail(root.Line, "a policy is a mapping with label, approvers, decide_within and grant_life")
	}
	var p Policy
	lines := map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if first, ok := lines[key.Value]; ok {
			return Policy{}, f.fail(key.Line, "%s stands in line %d already", key.Value, first)
		}
		lines[key.Value] = key.Line
		if err := f.field(&p, key, value); err != nil {
			return Policy{}, err
		}
	}
	for _, name := range []string{"label", "approvers", "decide_within", "grant_life"} {
		if lines[name] == 0 {
			return Policy{}, f.fail(root.Line, "%s is missing", name)
		}
	}
	if err := p.check(); err != nil {
		return Policy{}, f.fail(root.Line, "%s", err)
	}
	return p, nil
}

func (f policyFile) field(p *Policy, key, value *yaml.Node) (err error) {
	switch key.Value {
	case "label":
		if p.Label, err = f.text(key, value); err != nil {
			return err
		}
		err = checkLabel(p.Label)
	case "approvers":
		p.Approvers, err = f.names(key, value)
		return err
	case "resolvers":
		p.Resolvers, err = f.names(key, value)
		return err
	case "decide_within":
		p.DecideWithin, err = f.period(key, value)
		return err
	case "grant_life":
		p.GrantLife, err = f.period(key, value)
		return err
	default:
		return f.fail(key.Line, "unknown field %+q; label, approvers, decide_within, grant_life and resolvers are known", shorten(key.Value))
	}
	if err != nil {
		return f.fail(value.Line, "%s", err)
	}
	return nil
}

// text reads a scalar that YAML takes for a text, so that a bare 24 or yes is
// not turned into one.
func (f policyFile) text(key, value *yaml.Node) (string, error) {
	if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
		return "", f.fail(value.Line, "%s is not a text", key.Value)
	}
	return value.Value, nil
}

func (f policyFile) names(key, value *yaml.Node) ([]string, error) {
	if value.Kind != yaml.SequenceNode {
		return nil, f.fail(value.Line, "%s is not a list", key.Value)
	}
	var names []string
	for _, node := range value.Content {
		text, err := f.text(key, node)
		if err != nil {
			return nil, err
		}
		name, err := NormalizeIdentity(text)
		if err != nil {
			return nil, f.fail(node.Line, "%s: %s", key.Value, err)
		}
		if slices.Contains(names, name) {
			return nil, f.fail(node.Line, "%s: %s stands there twice", key.Value, name)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (f policyFile) period(key, value *yaml.Node) (time.Duration, error) {
	if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!int" {
		return 0, f.fail(value.Line, "%s needs a unit, such as 24h or 90m", key.Value)
	}
	text, err := f.text(key, value)
	if err != nil {
		return 0, err
	}
	period, err := time.ParseDuration(text)
	if err != nil {
		return 0, f.fail(value.Line, "%s is not a period such as 24h or 90m", key.Value)
	}
	if err := checkPeriod(period); err != nil {
		return 0, f.fail(value.Line, "%s %s", key.Value, err)
	}
	return period, nil
}
