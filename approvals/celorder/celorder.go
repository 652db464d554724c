// Package celorder lets CEL expressions range over maps in the order of their
// keys. CEL leaves the order open
// (https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros), and
// cel-go takes Go's, which is another one each time. What an approver was shown and
// what is carried out, or what a policy said at the gate and says at the effect,
// would then differ for one and the same expression.
package celorder

import (
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// Options are for an environment whose values are those of JSON: maps from text to
// anything, and lists. A map that an expression writes out itself is not ordered,
// and so an expression that ranges over one does not compile.
func Options() []cel.EnvOption {
	return []cel.EnvOption{cel.CustomTypeAdapter(adapter{}), cel.ASTValidators(noLiterals{})}
}

// adapter makes CEL values of Go's. It hands itself on to whatever contains
// others, so that a map within a list is ordered too.
type adapter struct{}

// NativeToValue implements types.Adapter.
func (a adapter) NativeToValue(value any) ref.Val {
	switch v := value.(type) {
	case map[string]any:
		return ordered{types.NewStringInterfaceMap(a, v)}
	case []any:
		return types.NewDynamicList(a, v)
	default:
		return types.DefaultTypeAdapter.NativeToValue(value)
	}
}

// ordered is a map that is ranged over by its keys, which are texts.
type ordered struct{ traits.Mapper }

// Iterator implements traits.Iterable.
func (m ordered) Iterator() traits.Iterator {
	var keys []string
	for it := m.Mapper.Iterator(); it.HasNext() == types.True; {
		if key, isText := it.Next().(types.String); isText { // it is of a map[string]any
			keys = append(keys, string(key))
		}
	}
	slices.Sort(keys)
	return types.NewStringList(adapter{}, keys).Iterator()
}

// noLiterals refuses a loop over what has a map written out in it: {"b": 1}.all(…).
type noLiterals struct{}

// Name implements cel.ASTValidator.
func (noLiterals) Name() string { return "holdpoint.ordered_maps" }

// Validate implements cel.ASTValidator.
func (noLiterals) Validate(_ *cel.Env, _ cel.ValidatorConfig, checked *ast.AST, issues *cel.Issues) {
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.ComprehensionKind {
			return
		}
		ast.PreOrderVisit(e.AsComprehension().IterRange(), ast.NewExprVisitor(func(part ast.Expr) {
			if part.Kind() == ast.MapKind {
				issues.ReportErrorAtID(part.ID(), "a map that stands in the expression has no order to range over; write a list")
			}
		}))
	}))
}
