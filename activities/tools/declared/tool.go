package declared

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Tool is a declared tool.
type Tool struct {
	kind         string
	spec         tools.Spec
	schema       *jsonschema.Schema
	target, item template.Text
	sender       Sender
}

var _ tools.Tool = (*Tool)(nil)

// findingTool is a Tool whose sender can find. It is a type of its own because
// the protocol asks whether a tool is a tools.Finder.
type findingTool struct {
	*Tool
	finder Finder
}

var _ tools.Finder = findingTool{}

// Spec implements tools.Tool.
func (t *Tool) Spec() tools.Spec { return t.spec }

// Kind is the name of the tool's kind.
func (t *Tool) Kind() string { return t.kind }

// Target is the declared target, with its expressions.
func (t *Tool) Target() string { return t.target.String() }

// Close gives back what the tool holds.
func (t *Tool) Close() error { return t.sender.Close() }

// placeholder stands for the key in a preview: the key is made of the target,
// after the preview.
const placeholder = "<idempotency key>"

// Prepare implements tools.Tool.
func (t *Tool) Prepare(ctx context.Context, p tools.Proposal) (tools.Prepared, error) {
	canonical, err := plan.Canonicalize(p.Parameters)
	if err != nil {
		return tools.Prepared{}, t.refuse("bad_parameters", "its parameters are %s", err)
	}
	vars, err := t.vars(canonical)
	if err != nil {
		return tools.Prepared{}, err
	}
	if !slices.ContainsFunc(p.Allowed(), func(allowed string) bool { return within(vars.Target, allowed) }) {
		return tools.Prepared{}, t.refuse("not_allowed", "it writes to %.200q, and the task allows %.400q", vars.Target, p.Allowed())
	}
	vars.Key = placeholder
	action := plan.Action{Tool: t.spec.Name, Target: vars.Target, Item: vars.Item, Parameters: canonical}
	prepared, err := t.sender.Prepare(ctx, Request{Call: tools.Call{Action: action}, Vars: vars})
	if err != nil {
		return tools.Prepared{}, err
	}
	return tools.Prepared{
		Target: vars.Target, Item: vars.Item, Parameters: canonical,
		Precondition: prepared.Precondition, Preview: prepared.Preview,
	}, nil
}

// Apply implements tools.Tool.
func (t *Tool) Apply(ctx context.Context, c tools.Call) (plan.Receipt, error) {
	r, err := t.request(c)
	if err != nil {
		return plan.Receipt{}, err
	}
	effect, err := t.sender.Apply(ctx, r)
	if err != nil {
		return plan.Receipt{}, err
	}
	return receipt(c, effect), nil
}

// Count implements tools.Tool.
func (t *Tool) Count(ctx context.Context, c tools.Call) (int, error) {
	r, err := t.request(c)
	if err != nil {
		return 0, err
	}
	return t.sender.Count(ctx, r)
}

// Find implements tools.Finder.
func (t findingTool) Find(ctx context.Context, c tools.Call) (tools.Finding, error) {
	r, err := t.request(c)
	if err != nil {
		return tools.Finding{}, err
	}
	presence, effect, detail, err := t.finder.Find(ctx, r)
	if err != nil {
		return tools.Finding{}, err
	}
	found := tools.Finding{Presence: presence, Detail: detail}
	if presence == tools.Found {
		found.Receipt = receipt(c, effect)
	}
	return found, nil
}

// request checks an approved action again, since this worker's declaration may
// be another one than that of the worker which prepared it.
func (t *Tool) request(c tools.Call) (Request, error) {
	vars, err := t.vars(c.Action.Parameters)
	if err != nil {
		return Request{}, err
	}
	if vars.Target != c.Action.Target || vars.Item != c.Action.Item {
		return Request{}, t.refuse("declaration_changed", "its declaration leads to another target or item than the approved one; give it another version")
	}
	vars.Key, vars.RunID, vars.ActionID = c.Action.IdempotencyKey, c.RunID, c.Action.ID
	vars.PlanHash, vars.Approver, vars.Precondition = c.PlanHash.String(), c.Approver, c.Action.Precondition
	if !c.FirstSent.IsZero() {
		vars.FirstSent = c.FirstSent.UTC().Format(time.RFC3339)
	}
	return Request{Call: c, Vars: vars}, nil
}

// vars checks parameters, and says where they lead.
func (t *Tool) vars(parameters json.RawMessage) (template.Vars, error) {
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(parameters))
	if err != nil {
		return template.Vars{}, t.refuse("bad_parameters", "its parameters are no JSON")
	}
	if err := t.schema.Validate(instance); err != nil {
		return template.Vars{}, t.refuse("bad_parameters", "its parameters do not fit its schema: %s", firstProblem(err))
	}
	params, err := template.Parameters(parameters)
	if err != nil {
		return template.Vars{}, t.refuse("bad_parameters", "%s", err)
	}
	v := template.Vars{Params: params}
	if v.Target, err = t.target.Render(v, escapeSegment); err == nil {
		err = checkSegments(v.Target)
	}
	if err != nil {
		return template.Vars{}, t.refuse("bad_parameters", "its target: %s", err)
	}
	if v.Item, err = t.item.Render(v, nil); err == nil {
		err = checkName(v.Item)
	}
	switch {
	case err != nil:
		return template.Vars{}, t.refuse("bad_parameters", "its item: %s", err)
	case v.Item == "" && !t.item.IsZero():
		// Every effect of the target would be one and the same.
		return template.Vars{}, t.refuse("bad_parameters", "its item: is empty")
	}
	return v, nil
}

func receipt(c tools.Call, e Effect) plan.Receipt {
	return plan.Receipt{
		IdempotencyKey: c.Action.IdempotencyKey, Tool: c.Action.Tool, Target: c.Action.Target,
		Ref: e.Ref, Detail: e.Detail, At: e.At.UTC().Truncate(time.Second),
	}
}

func (t *Tool) refuse(code, format string, args ...any) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: "tool " + t.spec.Name + ": " + fmt.Sprintf(format, args...)}
}
