package strictyaml

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// leaf fills a value that has no fields of its own.
func (d *decoder) leaf(node *yaml.Node, v reflect.Value, path string) {
	what := kindInWords(v.Type())
	target := node
	if target.Kind == yaml.AliasNode {
		target = target.Alias
	}
	if v.CanInt() && target.ShortTag() == "!!float" {
		d.fail(node, "%s%s is %s", prefix(path), shape(target), what) // the reader would cut it off
		return
	}
	err := node.Decode(v.Addr().Interface())
	switch {
	case err == nil:
	case readsItself(v.Type()) && target.Kind != yaml.ScalarNode && isTypeError(err):
		d.fail(node, "%sa text is expected here, and not %s", prefix(path), shape(target))
	case what == "" || readsItself(v.Type()):
		line, reason := split(target.Line, err)
		d.fail(&yaml.Node{Line: line}, "%s%s", prefix(path), reason)
	default:
		d.fail(node, "%s%s is %s", prefix(path), shape(target), what)
	}
}

func isTypeError(err error) bool {
	_, ok := errors.AsType[*yaml.TypeError](err)
	return ok
}

// kindInWords says what a value is not, when it does not fit the type.
func kindInWords(t reflect.Type) string {
	if t == reflect.TypeFor[time.Duration]() {
		return "no period of time; write one with its unit, such as 500ms, 30s or 24h"
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "no whole number"
	case reflect.Float32, reflect.Float64:
		return "no number"
	case reflect.Bool:
		return "neither true nor false"
	case reflect.String:
		return "no text"
	default:
		return ""
	}
}

// split takes an error of the YAML reader apart, which has the line in its text
// alone. line is for an error without.
func split(line int, err error) (int, string) {
	reason := firstReason(err)
	var named int
	if _, scanErr := fmt.Sscanf(reason, "line %d:", &named); scanErr == nil {
		line = named
		_, reason, _ = strings.Cut(reason, ": ")
	}
	return line, reason
}
