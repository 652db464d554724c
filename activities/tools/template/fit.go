package template

import (
	"fmt"
	"regexp"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// Type is what a schema says of all the values of a parameter. The zero Type
// says nothing.
type Type int

// The types that tell enough to find mistakes. Numbers are not among them: an
// expression may compare and mix their kinds.
const (
	AnyType Type = iota
	TextType
	TruthType
	ListType
	ObjectType
)

func (t Type) cel() *cel.Type {
	switch t {
	case TextType:
		return cel.StringType
	case TruthType:
		return cel.BoolType
	case ListType:
		return cel.ListType(cel.DynType)
	case ObjectType:
		return cel.MapType(cel.StringType, cel.DynType)
	default:
		return cel.DynType
	}
}

// Types finds expressions that can only fail, given the types of the parameters.
type Types struct{ env *cel.Env }

// identifier is a parameter's name that can stand behind "params.".
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// NewTypes takes the parameters' types by their names.
func NewTypes(parameters map[string]Type) (*Types, error) {
	options := variables()
	for name, t := range parameters {
		if t != AnyType && identifier.MatchString(name) {
			// CEL takes the longest name that is declared: params.x is then this
			// variable, and everything else of params stays of any type.
			options = append(options, cel.Variable("params."+name, t.cel()))
		}
	}
	env, err := cel.NewEnv(options...)
	return &Types{env: env}, err
}

// Check looks at source, which is a text with expressions or one bare
// expression, as Names does, and refuses what fails on every value of the types.
// Of what is no expression, or reads other variables, it says nothing.
func (t *Types) Check(source string) error {
	if !strings.Contains(source, "params") && !strings.Contains(source, "{{") {
		return nil
	}
	expressions := expressionsIn(source)
	whole := len(expressions) == 1 && strings.HasPrefix(source, "{{") && strings.HasSuffix(source, "}}")
	for _, expression := range expressions {
		expression = strings.TrimSpace(expression)
		checked, issues := t.env.Compile(expression)
		if why := conclusive(issues); why != "" {
			return fmt.Errorf("the expression %q can only fail: %s", expression, why)
		}
		if issues.Err() == nil && !whole && strings.Contains(source, "{{") && manyValues(checked.OutputType()) {
			return fmt.Errorf("the expression %q is a list or an object, and cannot stand in a text", expression)
		}
	}
	return nil
}

// CheckText is Check for a source that is filled in as a text whatever it is.
func (t *Types) CheckText(source string) error { return t.Check(source + " ") }

func manyValues(t *cel.Type) bool { return t.Kind() == types.ListKind || t.Kind() == types.MapKind }

// overload is what the checker says of a function that does not take such
// arguments.
var overload = regexp.MustCompile(`^found no matching overload for '([^']+)'`)

// lenient functions take any arguments when an expression runs: to compare
// with another type is false, and of a condition only one side is asked for.
var lenient = map[string]bool{"_==_": true, "_!=_": true, "_?_:_": true, "_&&_": true, "_||_": true, "@in": true}

// conclusive is the first issue that no value of the types can mend. Most are
// none: null beside a text, for one, is refused by the checker and works.
func conclusive(issues *cel.Issues) string {
	for _, e := range issues.Errors() {
		if function := overload.FindStringSubmatch(e.Message); function != nil && !lenient[function[1]] {
			return e.Message
		}
		if strings.Contains(e.Message, "cannot be range of a comprehension") || strings.Contains(e.Message, "does not support field selection") {
			return e.Message
		}
	}
	return ""
}
