package policy

import (
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// wordsOf are all values that some variables can have.
func wordsOf(variable string) []string {
	switch variable {
	case "risk":
		return []string{string(plan.LowRisk), string(plan.MediumRisk), string(plan.HighRisk)}
	case "class":
		return []string{
			string(plan.Transactional), string(plan.Conditional), string(plan.Keyed), string(plan.Lookup), string(plan.Once),
		}
	default:
		return nil
	}
}

// knownWords refuses an expression that compares risk or class with a word that
// it never has: risk == "hihg" compiles, matches nothing, and so asks for less
// than its author meant.
type knownWords struct{}

// Name implements cel.ASTValidator.
func (knownWords) Name() string { return "holdpoint.known_words" }

// Validate implements cel.ASTValidator.
func (knownWords) Validate(_ *cel.Env, _ cel.ValidatorConfig, checked *ast.AST, issues *cel.Issues) {
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || len(e.AsCall().Args()) != 2 {
			return
		}
		switch e.AsCall().FunctionName() {
		case operators.Equals, operators.NotEquals, operators.In:
			left, right := e.AsCall().Args()[0], e.AsCall().Args()[1]
			checkWords(left, right, issues)
			checkWords(right, left, issues)
		}
	}))
}

// checkWords reports the words that variable, if it is one, never has.
func checkWords(variable, against ast.Expr, issues *cel.Issues) {
	if variable.Kind() != ast.IdentKind {
		return
	}
	known := wordsOf(variable.AsIdent())
	if known == nil {
		return
	}
	words := []ast.Expr{against}
	if against.Kind() == ast.ListKind {
		words = against.AsList().Elements()
	}
	for _, word := range words {
		if word.Kind() != ast.LiteralKind {
			continue
		}
		text, ok := word.AsLiteral().Value().(string)
		if ok && !strings.Contains(" "+strings.Join(known, " ")+" ", " "+text+" ") {
			issues.ReportErrorAtID(word.ID(), "%s is never %+q; it is one of %s", variable.AsIdent(), shorten(text), strings.Join(known, ", "))
		}
	}
}
