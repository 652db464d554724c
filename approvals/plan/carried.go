package plan

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// checkCarried refuses what Go's JSON encoder would change in silence: bytes
// that are no UTF-8 (it writes U+FFFD), and times that have a second spelling.
func (p Plan) checkCarried() error {
	err := checkText(
		field{"format", p.Format}, field{"run_id", p.RunID}, field{"tenant", p.Tenant},
		field{"business_id", p.BusinessID}, field{"goal", p.Goal}, field{"planner", p.Planner},
		field{"model_id", p.ModelID}, field{"prompt_version", p.PromptVersion},
		field{"workflow_version", p.WorkflowVersion}, field{"notes", strings.Join(p.Notes, "\n")},
	)
	if err != nil {
		return err
	}
	for i, a := range p.Actions {
		if err := a.checkCarried(); err != nil {
			return fmt.Errorf("action %d: %w", i+1, err)
		}
	}
	return nil
}

func (a Action) checkCarried() error {
	fields := []field{
		{"id", a.ID}, {"tool", a.Tool}, {"tool_version", a.ToolVersion}, {"target", a.Target}, {"item", a.Item},
		{"within", a.Within}, {"documents", strings.Join(a.Documents, "\n")},
		{"depends_on", strings.Join(a.DependsOn, "\n")}, {"delivery_class", string(a.DeliveryClass)},
		{"risk", string(a.Risk)}, {"semantic_version", a.SemanticVersion}, {"idempotency_key", a.IdempotencyKey},
		{"precondition", a.Precondition}, {"preview", a.Preview}, {"replaces", a.Replaces},
	}
	if a.Done != nil {
		if !inOneForm(a.Done.At) {
			return errors.New("done: at is not in UTC and whole seconds")
		}
		fields = append(fields, field{"done", strings.Join(
			[]string{a.Done.IdempotencyKey, a.Done.Tool, a.Done.Target, a.Done.Ref, a.Done.Detail}, "\n")})
	}
	return checkText(fields...)
}

// inOneForm reports whether t is written as RFC 3339 in UTC without a
// fraction: the one form of a time in a plan.
func inOneForm(t time.Time) bool {
	_, offset := t.Zone()
	return offset == 0 && t.Nanosecond() == 0
}

func checkText(fields ...field) error {
	for _, f := range fields {
		if !utf8.ValidString(f.text) {
			return fmt.Errorf("%s is no UTF-8", f.name)
		}
	}
	return nil
}
