package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"github.com/holdpoint/holdpoint/approvals/celorder"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Bounds of what it costs to evaluate, in the units of CEL's cost model: about
// one for each step. The first is for one rule and one action, the second for a
// plan. A policy is its operator's, but a plan's parameters are a model's.
const (
	maxMatchCost = 200_000
	maxPlanCost  = 20_000_000
	// maxLoops bounds how deep exists, all, map and filter may stand in each other.
	maxLoops = 2
)

// matchEnv compiles expressions.
type matchEnv struct{ env *cel.Env }

// newMatchEnv declares the variables, each with its type, so that a misspelt
// one does not compile. Numbers of different types may be compared, so that an
// author need not know that all numbers of JSON are doubles here.
func newMatchEnv() (*matchEnv, error) {
	options := append(celorder.Options(),
		ext.Strings(),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserExpressionSizeLimit(maxMatchBytes),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateComprehensionNestingLimit(maxLoops), knownWords{}),
		cel.Variable("parameters", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("replaces", cel.BoolType),
	)
	for _, name := range []string{
		"tool", "tool_version", "target", "within", "item", "class", "risk", "semantic_version",
		"tenant", "business_id", "requester", "planner",
	} {
		options = append(options, cel.Variable(name, cel.StringType))
	}
	env, err := cel.NewEnv(options...)
	return &matchEnv{env: env}, err
}

// match is an expression that is true of some actions.
type match struct {
	source  string
	program cel.Program
}

// compile compiles an expression. The error reads on after "match", and comes
// with the line of the expression that it is about.
func (e *matchEnv) compile(source string) (*match, int, error) {
	trimmed := strings.TrimSpace(source)
	switch {
	case trimmed == "":
		return nil, 1, errors.New("is empty; write true for a rule that matches every action")
	case len(source) > maxMatchBytes:
		return nil, 1, fmt.Errorf("has %d bytes; at most %d are allowed", len(source), maxMatchBytes)
	case plan.EscapeLines(source) != source:
		return nil, 1, fmt.Errorf("has characters that a reader cannot see: %s", shorten(plan.Escape(source)))
	}
	checked, issues := e.env.Compile(source)
	if issues.Err() != nil {
		line, reason := firstIssue(issues)
		return nil, line, fmt.Errorf("cannot be used: %s", reason)
	}
	if checked.OutputType().Kind() != types.BoolKind {
		return nil, 1, fmt.Errorf("is of type %s, not true or false; compare it with something", checked.OutputType())
	}
	program, err := e.env.Program(checked, cel.CostLimit(maxMatchCost), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, 1, fmt.Errorf("cannot be used: %w", err)
	}
	return &match{source: trimmed, program: program}, 0, nil
}

// firstIssue takes one line and its place out of the compiler's report, which
// draws pictures.
func firstIssue(issues *cel.Issues) (int, string) {
	for _, e := range issues.Errors() {
		return e.Location.Line(), strings.ReplaceAll(e.Message, " (in container '')", "")
	}
	return 1, issues.Err().Error()
}

// matches evaluates the expression and returns its cost too. What cannot be
// evaluated is an error, never "no".
func (m *match) matches(variables map[string]any) (bool, uint64, error) {
	out, details, err := m.program.Eval(variables)
	cost := uint64(maxMatchCost)
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if err != nil {
		return false, cost, errors.New(evalReason(err))
	}
	truth, ok := out.(types.Bool)
	if !ok {
		return false, cost, fmt.Errorf("it is of type %s, not true or false", out.Type().TypeName())
	}
	return bool(truth), cost, nil
}

// evalReason keeps the innermost error, which names keys and types, on one line.
func evalReason(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return plan.Clip(plan.Escape(err.Error()), 200)
}

// variables are what a match may speak of. Parameters are read in their
// canonical form, so that no spelling of them means something else here than
// where they are executed: a number is a double, as RFC 8785 has it, and one
// that a double does not carry is an error. Compared with a whole number of an
// expression, such a double is exact: canonical form has no whole number
// between 2^53 and the bounds of int64.
func variables(p plan.Plan, a plan.Action, requester string) (map[string]any, error) {
	canonical, err := plan.Canonicalize(a.Parameters)
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	var parameters map[string]any
	if err := json.Unmarshal(canonical, &parameters); err != nil || parameters == nil {
		return nil, errors.New("the parameters are no JSON object")
	}
	return map[string]any{
		"tool": a.Tool, "tool_version": a.ToolVersion, "target": a.Target, "within": a.Within, "item": a.Item,
		"class": string(a.DeliveryClass), "risk": string(a.Risk), "semantic_version": a.SemanticVersion,
		"replaces": a.Replaces != "", "parameters": parameters,
		"tenant": p.Tenant, "business_id": p.BusinessID, "planner": p.Planner, "requester": requester,
	}, nil
}
