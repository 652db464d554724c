package strictyaml

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Decode fills out, a pointer to a struct or a map of them, from node. Fields
// carry the tag `yaml:"name"`, or `json:"name"` where they have none; one that
// node does not have keeps what it has. A type that has its own UnmarshalYAML
// sees to itself.
//
// The error joins one for each mistake, in the order of the text, in the form
// "file:line: field: reason". Beside a mistake all else is filled in, so that a
// caller can look for more of them.
func Decode(file string, node *yaml.Node, out any) error {
	if Absent(node) {
		return nil
	}
	if node.Kind == yaml.DocumentNode {
		node = node.Content[0]
	}
	if err := CheckAliases(file, node); err != nil {
		return err
	}
	d := decoder{file: file}
	d.fill(node, reflect.ValueOf(out).Elem(), "")
	return errors.Join(d.errs...)
}

// decoder fills a value field by field. The YAML reader's own way ends at the
// first mistake of a type that reads itself, and names no field.
type decoder struct {
	file string
	errs []error
}

func (d *decoder) fail(node *yaml.Node, format string, args ...any) {
	d.errs = append(d.errs, Fail(d.file, node, format, args...))
}

// fill fills v, which stands at path, from node.
func (d *decoder) fill(node *yaml.Node, v reflect.Value, path string) {
	if isLeaf(v.Type()) {
		d.leaf(node, v, path)
		return
	}
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if Absent(node) {
		return
	}
	switch kind := v.Kind(); {
	case kind == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		d.fill(node, v.Elem(), path)
	case kind == reflect.Slice && node.Kind == yaml.SequenceNode:
		d.list(node, v, path)
	case kind == reflect.Slice:
		d.fail(node, "%sa list is expected here, and not %s", prefix(path), shape(node))
	case node.Kind == yaml.MappingNode:
		d.members(node, v, path)
	default:
		d.fail(node, "%sfields are expected here, and not %s", prefix(path), shape(node))
	}
}

var (
	ownReader = reflect.TypeFor[yaml.Unmarshaler]()
	rawNode   = reflect.TypeFor[yaml.Node]()
)

// isLeaf reports a type that is filled as a whole.
func isLeaf(t reflect.Type) bool {
	if readsItself(t) || t == rawNode {
		return true
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Pointer:
		return false
	default:
		return true
	}
}

func readsItself(t reflect.Type) bool {
	return t.Implements(ownReader) || reflect.PointerTo(t).Implements(ownReader)
}

func (d *decoder) list(node *yaml.Node, v reflect.Value, path string) {
	items := reflect.MakeSlice(v.Type(), len(node.Content), len(node.Content))
	for i, item := range node.Content {
		d.fill(item, items.Index(i), path+"["+strconv.Itoa(i)+"]")
	}
	v.Set(items)
}

// members fills a struct or a map.
func (d *decoder) members(node *yaml.Node, v reflect.Value, path string) {
	if v.Kind() == reflect.Map && v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if first, twice := lines[key.Value]; twice {
			d.fail(key, "%s stands in line %d already", key.Value, first)
			continue
		}
		lines[key.Value] = key.Line
		d.member(key, value, v, join(path, key.Value))
	}
}

func (d *decoder) member(key, value *yaml.Node, v reflect.Value, path string) {
	if v.Kind() == reflect.Map {
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
			d.fail(key, "a member's name must be a text")
			return
		}
		element := reflect.New(v.Type().Elem()).Elem()
		d.fill(value, element, path)
		v.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), element)
		return
	}
	field, names := fieldOf(v, key.Value)
	if !field.IsValid() {
		d.fail(key, "unknown field %q; known are %s", key.Value, strings.Join(names, ", "))
		return
	}
	d.fill(value, field, path)
}

// fieldOf finds the field of that name in a struct, and else the names that
// there are.
func fieldOf(v reflect.Value, name string) (reflect.Value, []string) {
	var names []string
	for i := range v.NumField() {
		tag, options, _ := strings.Cut(tagOf(v.Type().Field(i)), ",")
		if strings.Contains(options, "inline") {
			field, inner := fieldOf(v.Field(i), name)
			if field.IsValid() {
				return field, nil
			}
			names = append(names, inner...)
			continue
		}
		if tag == "" || tag == "-" {
			continue
		}
		if tag == name {
			return v.Field(i), nil
		}
		names = append(names, tag)
	}
	return reflect.Value{}, names
}

func tagOf(field reflect.StructField) string {
	if tag, ok := field.Tag.Lookup("yaml"); ok {
		return tag
	}
	return field.Tag.Get("json")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// shape is what a node is, in words.
func shape(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%.60q", node.Value)
	}
}
