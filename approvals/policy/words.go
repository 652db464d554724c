package policy

import (
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// wordsOf are all values that some variables can have.
func wordsOf(variable string) []string {
	switch variable {
	case "risk":
		return wordsIn(plan.Risks())
	case "class":
		return wordsIn(plan.DeliveryClasses())
	default:
		return nil
	}
}

func wordsIn[T ~string](values []T) []string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return words
}

// knownWords refuses an expression that never means what its author meant, and so
// asks for less:
//
//   - risk and class are words, of which each is compared with == or != or looked
//     for in a list of them. Of everything else it cannot be told what it matches:
//     risk > "low" is true of medium and not of high, and a word that no action has,
//     such as "hihg", is never found.
//   - requester is a name in the one form in which people are compared. Another form
//     is nobody's: so it is compared with names, with parts of them and with other
//     variables, and with nothing of which it cannot be told what form it has.
//
// Of the other variables every text can occur.
type knownWords struct{}

// Name implements cel.ASTValidator.
func (knownWords) Name() string { return "holdpoint.known_words" }

// Validate implements cel.ASTValidator.
func (knownWords) Validate(_ *cel.Env, _ cel.ValidatorConfig, checked *ast.AST, issues *cel.Issues) {
	compared := map[int64]bool{} // the places of variables that are compared with words
	visit := func(what func(ast.Expr)) { ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(what)) }
	visit(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		for _, c := range comparisons(e.AsCall()) {
			if known := wordsOf(c.variable); known != nil && c.allLiterals {
				compared[c.at] = true
				c.checkKnown(known, issues)
			}
			if c.variable == "requester" && c.plain {
				compared[c.at] = true
				c.checkPerson(issues)
			}
		}
	})
	visit(func(e ast.Expr) {
		if known := wordsOf(variableOf(e)); known != nil && !compared[e.ID()] {
			name, first, last := variableOf(e), known[0], known[len(known)-1]
			issues.ReportErrorAtID(e.ID(), "%s can only be compared with its words: "+
				"write %[1]s == %[2]q, %[1]s != %[2]q or %[1]s in [%[2]q, %[3]q]; they are %[4]s", name, first, last, strings.Join(known, ", "))
		}
		if variableOf(e) == "requester" && !compared[e.ID()] {
			issues.ReportErrorAtID(e.ID(), "requester can only be compared: write requester == \"ann@example.com\", "+
				"requester in [\"ann@example.com\"] or requester.endsWith(\"@example.com\"), "+
				"startsWith, contains or matches, or compare it with another variable")
		}
	})
}

// comparison is one of a variable with literals.
type comparison struct {
	variable    string
	at          int64      // the variable's place
	whole       bool       // with the whole text, and not with a part of it
	pattern     bool       // with a regular expression
	literals    []ast.Expr // texts
	allLiterals bool       // it is compared with nothing else
	plain       bool       // nor with anything that is computed
}

// comparisons are those that a call makes: v == "x" and "x" == v, v in ["x"], and
// v.startsWith("x") and its like.
func comparisons(call ast.CallExpr) []comparison {
	name := call.FunctionName()
	switch args := call.Args(); {
	case (name == operators.Equals || name == operators.NotEquals) && len(args) == 2:
		return []comparison{compare(args[0], args[1]), compare(args[1], args[0])}
	case name == operators.In && len(args) == 2 && args[1].Kind() == ast.ListKind:
		return []comparison{compare(args[0], args[1].AsList().Elements()...)}
	case name == operators.In && len(args) == 2:
		return []comparison{compare(args[0], args[1])}
	case call.IsMemberFunction() && slices.Contains([]string{"startsWith", "endsWith", "contains", "matches"}, name):
		c := compare(call.Target(), args...)
		c.whole, c.allLiterals = false, false // a word has no parts
		c.pattern = name == "matches"
		return []comparison{c}
	default:
		return nil
	}
}

func compare(variable ast.Expr, against ...ast.Expr) comparison {
	c := comparison{variable: variableOf(variable), at: variable.ID(), whole: true, allLiterals: len(against) > 0, plain: true}
	for _, word := range against {
		c.plain = c.plain && isPlain(word)
		if _, ok := textOf(word); ok {
			c.literals = append(c.literals, word)
		} else {
			c.allLiterals = false
		}
	}
	return c
}

// isPlain reports whether an expression is a literal, a variable or a part of one.
func isPlain(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind, ast.IdentKind:
		return true
	case ast.SelectKind:
		return isPlain(e.AsSelect().Operand())
	case ast.CallKind:
		call := e.AsCall()
		return call.FunctionName() == operators.Index && isPlain(call.Args()[0])
	default:
		return false
	}
}

// variableOf is the name of a variable; "" of anything else.
func variableOf(e ast.Expr) string {
	if e.Kind() != ast.IdentKind {
		return ""
	}
	return strings.TrimPrefix(e.AsIdent(), ".")
}

func textOf(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().Value().(string)
	return text, ok
}

// checkKnown reports the words that the variable never has.
func (c comparison) checkKnown(known []string, issues *cel.Issues) {
	for _, word := range c.literals {
		if text, _ := textOf(word); !slices.Contains(known, text) {
			issues.ReportErrorAtID(word.ID(), "%s is never %+q; it is one of %s", c.variable, shorten(text), strings.Join(known, ", "))
		}
	}
}

// classes are those of a regular expression, such as \S: what they match is in no case.
var classes = regexp.MustCompile(`\\(?:[pP]\{\w+\}|\w)`)

// checkPerson reports the names, or their parts, that no requester has.
func (c comparison) checkPerson(issues *cel.Issues) {
	for _, word := range c.literals {
		text, _ := textOf(word)
		if c.pattern {
			text = classes.ReplaceAllString(text, "")
		}
		normal, err := strings.ToLower(text), error(nil)
		if c.whole {
			normal, err = approvals.NormalizeIdentity(text)
		}
		switch {
		case err != nil:
			issues.ReportErrorAtID(word.ID(), "requester is never %+q: %s", shorten(text), err)
		case normal != text:
			issues.ReportErrorAtID(word.ID(), "requester is in lower case, and has never %+q; write %+q", shorten(text), shorten(normal))
		}
	}
}
