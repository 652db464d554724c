package template

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Names lists the parameters that source reads, which is a text with
// expressions or one bare expression: "repo" for {{params.repo.owner}}, and for
// params["repo"]. Those that it picks by a computed name are not known before
// it runs. Of what is no expression it lists none.
func Names(source string) []string {
	if !strings.Contains(source, "params") {
		return nil
	}
	env, err := cel.NewEnv()
	if err != nil {
		return nil
	}
	var names []string
	for _, expression := range expressionsIn(source) {
		parsed, issues := env.Parse(expression)
		if issues.Err() != nil {
			continue
		}
		ast.PreOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
			if name, ok := parameter(e); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}))
	}
	return names
}

// expressionsIn are the expressions of a text; a text that has none is taken
// for one itself.
func expressionsIn(source string) []string {
	_, rest, found := strings.Cut(source, "{{")
	if !found {
		return []string{source}
	}
	var expressions []string
	for found {
		var inner string
		inner, rest, _ = strings.Cut(rest, "}}")
		expressions = append(expressions, inner)
		_, rest, found = strings.Cut(rest, "{{")
	}
	return expressions
}

// parameter is the name that an expression picks from params: with a dot, or
// by a literal in brackets.
func parameter(e ast.Expr) (name string, ok bool) {
	var from ast.Expr
	switch e.Kind() {
	case ast.SelectKind:
		from, name = e.AsSelect().Operand(), e.AsSelect().FieldName()
	case ast.CallKind:
		call := e.AsCall()
		if call.FunctionName() != operators.Index || len(call.Args()) != 2 || call.Args()[1].Kind() != ast.LiteralKind {
			return "", false
		}
		from = call.Args()[0]
		if name, ok = call.Args()[1].AsLiteral().Value().(string); !ok {
			return "", false
		}
	default:
		return "", false
	}
	return name, from.Kind() == ast.IdentKind && from.AsIdent() == "params"
}
