package template

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"

	"github.com/holdpoint/holdpoint/approvals/celorder"
)

// Vars are the variables of a template.
type Vars struct {
	Params   map[string]any // as Parameters returns them
	Key      string
	Target   string
	Item     string
	RunID    string
	ActionID string
	PlanHash string
	Approver string
	// Precondition is the target's state that the plan was made for.
	Precondition string
	// FirstSent is when the first call began that may have had the effect, as
	// RFC 3339 text; empty where nothing is looked for.
	FirstSent string
}

func (v Vars) activation(extra map[string]any) map[string]any {
	vars := map[string]any{
		"params": v.Params, "key": v.Key, "target": v.Target, "item": v.Item,
		"run_id": v.RunID, "action_id": v.ActionID, "plan_hash": v.PlanHash, "approver": v.Approver,
		"precondition": v.Precondition, "first_sent": v.FirstSent,
	}
	maps.Copy(vars, extra)
	return vars
}

// Expression is one CEL expression, compiled.
type Expression struct {
	source  string
	program cel.Program
}

// costLimit stops an expression that would keep a worker busy.
const costLimit = 1_000_000

// variables are those of Vars, as options of an environment.
func variables() []cel.EnvOption {
	options := append(celorder.Options(), ext.Strings(), cel.Variable("params", cel.MapType(cel.StringType, cel.DynType)))
	for _, name := range []string{"key", "target", "item", "run_id", "action_id", "plan_hash", "approver", "precondition", "first_sent"} {
		options = append(options, cel.Variable(name, cel.StringType))
	}
	return options
}

// Compile compiles an expression. extra names the variables that it may use
// besides those of Vars; they have any type. An expression of constants alone
// that has no value, such as 1/0, is refused here: it would have none on any
// action.
func Compile(source string, extra ...string) (*Expression, error) {
	options := variables()
	for _, name := range extra {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(source)
	if issues.Err() != nil {
		return nil, fmt.Errorf("the expression %q cannot be used: %s", source, firstIssue(issues))
	}
	program, err := env.Program(checked, cel.CostLimit(costLimit), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, fmt.Errorf("the expression %q cannot be used: %w", source, err)
	}
	e := &Expression{source: source, program: program}
	if readsNothing(checked) {
		if _, err := e.Eval(Vars{}, nil); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// readsNothing reports an expression whose value is the same on every action.
func readsNothing(checked *cel.Ast) bool {
	for _, reference := range checked.NativeRep().ReferenceMap() {
		if reference.Name != "" && reference.Value == nil {
			return false
		}
	}
	return true
}

// firstIssue is one line of the compiler's report, which draws pictures.
func firstIssue(issues *cel.Issues) string {
	for _, e := range issues.Errors() {
		return e.Message
	}
	return issues.Err().Error()
}

// String is the expression's source.
func (e *Expression) String() string { return e.source }

// Eval returns the value as Go has it: nil, bool, int64, uint64, float64,
// string, []any or map[string]any. The error names the expression, and no
// value.
func (e *Expression) Eval(v Vars, extra map[string]any) (any, error) {
	out, _, err := e.program.Eval(v.activation(extra))
	if err != nil {
		return nil, fmt.Errorf("the expression %q has no value: %s", e.source, evalReason(err))
	}
	value, err := native(out)
	if err != nil {
		return nil, fmt.Errorf("the expression %q: %w", e.source, err)
	}
	return value, nil
}

// Test is Eval for an expression that must say true or false.
func (e *Expression) Test(v Vars, extra map[string]any) (bool, error) {
	value, err := e.Eval(v, extra)
	if err != nil {
		return false, err
	}
	truth, ok := value.(bool)
	if !ok {
		return false, fmt.Errorf("the expression %q says neither true nor false", e.source)
	}
	return truth, nil
}

// evalReason keeps what CEL says of names and types.
func evalReason(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return reason
}
