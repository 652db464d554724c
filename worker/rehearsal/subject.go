package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// tenant is whose the rehearsed action is: no run's.
const tenant = "drill"

// Subject is the action of a rehearsal.
type Subject struct {
	Action plan.Action
	// Other has other parameters under the same key; nil when there are none.
	Other *plan.Action
	// Twin is the action once more, under a key of its own; nil when the tool
	// does not prepare it.
	Twin *plan.Action
}

// Wish is what an operator wants rehearsed.
type Wish struct {
	ID         string          // of this rehearsal, fresh: it makes the key a new one
	Target     string          // the sandbox: the action must not leave it
	Parameters json.RawMessage // of the action
	// TwinParameters are those of a second effect, under a key of its own; there
	// is none when they are nil or those of the first.
	TwinParameters json.RawMessage
	// Other are other parameters with the same target and item. When nil, they
	// are made of Parameters.
	Other json.RawMessage
}

// Prepare lets the tool prepare the wished action. It reads from the target
// and writes nothing. Its error is the tool's, or says that the action would
// leave the sandbox.
func Prepare(ctx context.Context, tool tools.Tool, w Wish) (Subject, error) {
	prepared, err := prepare(ctx, tool, w, w.Parameters)
	if err != nil {
		return Subject{}, err
	}
	s := Subject{Action: action(tool.Spec(), w, prepared)}
	if w.TwinParameters != nil && !bytes.Equal(w.TwinParameters, w.Parameters) {
		if twin, err := prepare(ctx, tool, w, w.TwinParameters); err == nil {
			second := w
			second.ID += "-twin"
			s.Twin = new(action(tool.Spec(), second, twin))
		}
	}
	if w.Other != nil {
		s.Other, err = namedOther(ctx, tool, w, prepared)
		return s, err
	}
	for _, parameters := range variations(prepared.Parameters) {
		if other, err := prepare(ctx, tool, w, parameters); err == nil && sameEffect(prepared, other) {
			s.Other = new(action(tool.Spec(), w, other))
			break
		}
	}
	return s, nil
}

// namedOther is the other payload that an operator has named.
func namedOther(ctx context.Context, tool tools.Tool, w Wish, prepared tools.Prepared) (*plan.Action, error) {
	other, err := prepare(ctx, tool, w, w.Other)
	if err != nil {
		return nil, fmt.Errorf("the other parameters: %w", err)
	}
	if !sameEffect(prepared, other) {
		return nil, fmt.Errorf("the other parameters must differ, and lead to the same target and item: %s, %q; they lead to %s, %q",
			prepared.Target, prepared.Item, other.Target, other.Item)
	}
	return new(action(tool.Spec(), w, other)), nil
}

func prepare(ctx context.Context, tool tools.Tool, w Wish, parameters json.RawMessage) (tools.Prepared, error) {
	prepared, err := tool.Prepare(ctx, tools.Proposal{Tool: tool.Spec().Name, Parameters: parameters, AllowedTarget: w.Target})
	if err != nil {
		return tools.Prepared{}, err
	}
	if w.Target == "" || prepared.Target != w.Target && !strings.HasPrefix(prepared.Target, w.Target+"/") {
		return tools.Prepared{}, fmt.Errorf("the action writes to %q, which is not %q or below it", prepared.Target, w.Target)
	}
	return prepared, nil
}

// sameEffect reports whether b is another payload of the same key as a.
func sameEffect(a, b tools.Prepared) bool {
	return a.Target == b.Target && a.Item == b.Item && !bytes.Equal(a.Parameters, b.Parameters)
}

func action(spec tools.Spec, w Wish, p tools.Prepared) plan.Action {
	const version = "v1"
	return plan.Action{
		ID: "drill", Tool: spec.Name, ToolVersion: spec.Version, SchemaDigest: spec.SchemaDigest,
		Target: p.Target, Item: p.Item, Parameters: p.Parameters, DeliveryClass: spec.Class, Risk: spec.Risk,
		SemanticVersion: version, Precondition: p.Precondition, Preview: p.Preview,
		IdempotencyKey: plan.Identity{
			Tenant: tenant, BusinessID: w.ID, Tool: spec.Name, Target: p.Target, Item: p.Item, SemanticVersion: version,
		}.Key(),
	}
}

// variations are the parameters with one member changed, members in the order
// of their names and texts first. Which of them the tool takes, and which leaves
// target and item as they are, only the tool knows.
func variations(parameters json.RawMessage) []json.RawMessage {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(parameters, &members); err != nil {
		return nil
	}
	var texts, others []json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(members)) {
		changed := maps.Clone(members)
		var text string
		switch value := string(members[name]); {
		case json.Unmarshal(members[name], &text) == nil && value != "null":
			// A letter, because a field may be of letters only.
			raw, err := json.Marshal(text + "x")
			if err != nil {
				continue
			}
			changed[name] = raw
			texts = append(texts, encode(changed))
		case value == "true", value == "false":
			changed[name] = json.RawMessage(fmt.Sprint(value == "false"))
			others = append(others, encode(changed))
		default:
			var number int64
			if json.Unmarshal(members[name], &number) == nil && value != "null" {
				changed[name] = json.RawMessage(fmt.Sprint(number + 1))
				others = append(others, encode(changed))
			}
		}
	}
	return append(texts, others...)
}

func encode(members map[string]json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(members)
	if err != nil {
		return nil // refused by the tool
	}
	return raw
}
