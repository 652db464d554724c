package model

import (
	"context"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// objection is why a reply cannot be used, for the model, which may do better.
type objection struct {
	kind   string // for metrics: cut, form, format, too_many, not_allowed, parameters, refused_by_check
	reason string // one line, bounded; names that the reply made up are shortened and escaped
	cause  error
}

func (o *objection) Error() string { return o.kind + ": " + o.reason }

func object(kind string, err error) error {
	return &objection{kind: kind, reason: plan.Clip(err.Error(), maxReason), cause: err}
}

// maxReason bounds what is said of a reply, in bytes of JSON.
const maxReason = 1500

// judge makes a draft of a reply that was given. Its error is an *objection, or
// a fault that asking again cannot help.
func (t *talk) judge(ctx context.Context, reply Reply) (planners.Draft, error) {
	var none planners.Draft
	switch {
	case reply.Refusal != "":
		return none, permanent("refused", "the model will not make this plan, and a person has to look at the task; it says: %s", words(reply.Refusal))
	case reply.Stop == Filtered:
		return none, permanent("filtered", "the model's provider withheld the reply as not allowed; a person has to look at the task and its documents")
	case reply.Stop == Cut:
		return none, object("cut", fmt.Errorf("it was cut at the limit of about %d tokens; propose fewer or shorter actions", t.limits.OutputTokens))
	}
	raw, err := onlyObject(reply.Text)
	if err != nil {
		return none, object("form", err)
	}
	d, err := actions.Read([]byte(raw))
	if err != nil {
		return none, object("format", err)
	}
	if len(d.Actions) > t.limits.Actions {
		return none, object("too_many", fmt.Errorf("/actions: there are %d actions; at most %d are allowed", len(d.Actions), t.limits.Actions))
	}
	proposed, err := d.Propose(t.request.Targets, t.request.Documents)
	if err == nil {
		err = t.checkShown(proposed)
	}
	if err != nil {
		return none, object("not_allowed", err)
	}
	if err := d.CheckParameters(t.request.Targets); err != nil {
		return none, object("parameters", err)
	}
	if err := t.check(ctx, proposed); err != nil {
		return none, err
	}
	draft := planners.Draft{Actions: proposed}
	for _, note := range d.Notes {
		draft.Notes = append(draft.Notes, "the model says: "+note)
	}
	return draft, nil
}

// checkShown refuses an action that names a document as its source that the model
// has not seen: of that it can only know the name.
func (t *talk) checkShown(proposed []planners.DraftAction) error {
	for i, action := range proposed {
		for _, name := range action.Documents {
			if !t.shown[name] {
				return fmt.Errorf("/actions/%d/documents: the document %.200q was not shown; name only documents that the message shows", i, name)
			}
		}
	}
	return nil
}

// check lets the tools look at the proposals. What they refuse for good is the
// model's to mend; everything else is trouble of theirs.
func (t *talk) check(ctx context.Context, proposed []planners.DraftAction) error {
	if t.request.Check == nil {
		return nil
	}
	err := t.request.Check(ctx, proposed)
	if err == nil {
		return nil
	}
	fault := faults.Name(err)
	if fault.Class != faults.Permanent {
		return err
	}
	return object("refused_by_check", fault)
}

// words are a model's own, for people: short, in one line, with all letters
// visible.
func words(text string) string { return fmt.Sprintf("“%s”", plan.Escape(plan.Clip(text, 300))) }
