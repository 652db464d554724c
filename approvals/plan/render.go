package plan

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
)

// Render writes the plan as an approver reads it in a terminal: what will be
// written where, by which tool and under which guard, and the preview of each
// write. Nothing of a preview, note or name is cut. Every text of the plan goes
// through Show or ShowLines and is broken at 80 columns, and every line of a
// preview, and every further line of another text, is led by a bar, so that no
// document can draw a line of this view itself. Only digests, of 71 letters, are
// never broken.
//
// The parameters of an action with a preview are named by size and fingerprint:
// the preview is what its tool says about them. Those of one without are
// written out. The error is w's.
func Render(w io.Writer, p Plan, hash Digest) error {
	var page bytes.Buffer
	renderHead(&page, p, hash)
	for i, a := range p.Actions {
		fmt.Fprintf(&page, "\n%d. %s\n", i+1, Show(a.ID))
		if a.Done != nil {
			renderDone(&page, a)
			continue
		}
		renderAction(&page, a)
	}
	_, err := w.Write(page.Bytes())
	return err
}

func renderHead(page *bytes.Buffer, p Plan, hash Digest) {
	fmt.Fprintf(page, "Plan %s\n", hash)
	line(page, "run", p.RunID)
	line(page, "tenant", p.Tenant)
	line(page, "business id", p.BusinessID)
	line(page, "goal", p.Goal)
	line(page, "planner", p.Planner)
	optional(page, "model", p.ModelID)
	optional(page, "prompt", p.PromptVersion)
	line(page, "workflow", p.WorkflowVersion)
	whole(page, "context", p.ContextDigest.String())
	if p.Revision > 0 {
		line(page, "revision", fmt.Sprint(p.Revision))
	}
	line(page, "actions", p.counts())
	for _, note := range p.Notes {
		line(page, "note", note)
	}
}

// counts says in words how many actions would write, and how many did.
func (p Plan) counts() string {
	done := 0
	for _, a := range p.Actions {
		if a.Done != nil {
			done++
		}
	}
	text := fmt.Sprintf("%d to be carried out", len(p.Actions)-done)
	if done > 0 {
		text += fmt.Sprintf(", %d already done and not repeated", done)
	}
	return text
}

func renderAction(page *bytes.Buffer, a Action) {
	line(page, "target", a.Target)
	if a.Within != "" {
		line(page, "! target", "not named by the task, which says "+a.Within+": the planner has chosen it")
	}
	optional(page, "item", a.Item)
	line(page, "tool", a.Tool+" "+a.ToolVersion)
	if !a.SchemaDigest.IsZero() {
		whole(page, "schema", a.SchemaDigest.String())
	}
	optional(page, "declaration", shortDigest(a.ToolDigest))
	line(page, "class", string(a.DeliveryClass))
	line(page, "risk", string(a.Risk))
	line(page, "key", a.IdempotencyKey)
	line(page, "version", a.SemanticVersion)
	optional(page, "depends on", strings.Join(a.DependsOn, ", "))
	for _, name := range a.Documents {
		line(page, "derived from", name)
	}
	optional(page, "replaces", a.Replaces)
	optional(page, "only if", a.Precondition)
	renderParameters(page, a)
	if a.Preview != "" {
		block(page, "preview", a.Preview)
	}
}

func renderParameters(page *bytes.Buffer, a Action) {
	fingerprint, err := Fingerprint(a.Parameters)
	switch {
	case err != nil:
		line(page, "parameters", "cannot be read: "+err.Error())
	case a.Preview == "":
		block(page, "parameters", string(a.Parameters))
	default:
		whole(page, "parameters", fmt.Sprintf("%d bytes, %s", len(a.Parameters), fingerprint))
	}
}

// renderDone writes an action that the ledger holds already: what it was, and
// its receipt in one line.
func renderDone(page *bytes.Buffer, a Action) {
	line(page, "target", a.Target)
	optional(page, "item", a.Item)
	line(page, "key", a.IdempotencyKey)
	receipt := "already done, " + a.Done.At.UTC().Format(time.RFC3339) + ", " + a.Done.Ref
	if a.Done.Detail != "" {
		receipt += ", " + a.Done.Detail
	}
	line(page, "receipt", receipt)
}

// line writes one named field, whatever is in its text.
func line(page *bytes.Buffer, name, text string) {
	_ = WriteField(page, name, text) // a buffer takes everything
}

// whole is line for what is no document's and is to be copied in one piece.
func whole(page *bytes.Buffer, name, text string) {
	fmt.Fprintf(page, "   %-13s%s\n", name, text)
}

// optional is line for a field that says nothing when it is empty.
func optional(page *bytes.Buffer, name, text string) {
	if text != "" {
		line(page, name, text)
	}
}

// block writes a text of several lines below its name.
func block(page *bytes.Buffer, name, text string) {
	var lines strings.Builder
	barred(&lines, text)
	fmt.Fprintf(page, "   %s\n%s", name, lines.String())
}

// shownDigits are enough to tell two declarations of one tool apart by eye; the
// whole digest stands in the canonical plan.
const shownDigits = 12

func shortDigest(d Digest) string {
	if d.IsZero() {
		return ""
	}
	return d.Hex()[:shownDigits]
}
