package evidence

import (
	"fmt"
	"io"
	"strings"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Print says for people, action by action, what was approved by whom and what
// its receipt is, and at the end what does not fit. Text of the bundle is shown
// with its invisible characters escaped.
func (f Findings) Print(out io.Writer) error {
	p := printer{Findings: f}
	p.head()
	for _, text := range f.Bundle.Content.Plans {
		p.plan(text.SHA256)
	}
	if n := len(f.Bundle.Content.Unjudged); n > 0 {
		p.line("unjudged", "%d words had arrived and nobody had judged them", n)
	}
	p.blank()
	for _, remark := range f.Remarks {
		p.line("REMARK", "%s", plan.EscapeLines(remark))
	}
	for _, problem := range f.Problems {
		p.line("NOT OK", "%s", plan.EscapeLines(problem))
	}
	if f.Fits() {
		p.line("OK", "everything that can be checked fits")
	}
	_, err := io.WriteString(out, p.text.String())
	return err
}

// printer writes findings.
type printer struct {
	Findings

	text strings.Builder
}

// line writes a line under its name. What it is given is escaped already.
func (p *printer) line(name, format string, args ...any) {
	fmt.Fprintf(&p.text, "%-10s %s\n", name, fmt.Sprintf(format, args...))
}

func (p *printer) blank() { p.text.WriteByte('\n') }

func (p *printer) head() {
	c := p.Bundle.Content
	p.line("run", "%s: %s%s", plan.Escape(c.RunID), plan.Escape(string(c.Result.Status)), because(c.Result.Reason))
	p.line("task", "%s, asked for by %s", c.Task.SHA256, plan.Escape(c.Task.Asked.Requester))
	p.line("exported", "%s, %s", stamp(c.ExportedAt), p.word())
	for _, e := range c.Executions {
		p.line("history", "execution %s, %d events, %s", plan.Escape(e.RunID), e.Events, e.History)
	}
	if p.Histories > 0 {
		p.line("", "%d of %d compared with the histories that you gave", p.Histories, len(c.Executions))
	}
	for _, counted := range c.Result.Verdicts {
		p.line("words", "%d %s", counted.Count, plan.Escape(string(counted.Code)))
	}
	if c.Context != nil {
		p.line("context", "%s", c.Context.Digest)
	}
}

// word says whose word it is that nothing but the history proves.
func (p *printer) word() string {
	if p.SealedBy == "" {
		return "not sealed: what is recorded is the exporter's word, and anybody may have changed it since"
	}
	return fmt.Sprintf("sealed by %s with %s: what is recorded is their word", plan.Escape(p.SealedBy), p.SealKey)
}

// recorded is the mark of what no signature and no digest covers.
func (p *printer) recorded() string {
	if p.SealedBy == "" {
		return "recorded by the exporter, not sealed"
	}
	return "recorded by the exporter, sealed by " + plan.Escape(p.SealedBy)
}

// plan says of one plan what was asked about it, and what became of its actions.
func (p *printer) plan(hash plan.Digest) {
	made, known := p.Plans[hash]
	p.blank()
	if !known {
		p.line("plan", "%s cannot be read", hash)
		return
	}
	p.line("plan", "%s, revision %d, %d actions", hash, made.Revision, len(made.Actions))
	for _, r := range p.Bundle.Content.Requests {
		if r.PlanHash == hash {
			p.request(r)
		}
	}
	plans := p.Bundle.Content.Plans
	for _, planned := range made.Actions {
		begun := p.begun(hash, planned.ID)
		if begun != nil || hash == plans[len(plans)-1].SHA256 {
			p.action(planned, begun, hash)
		}
	}
}

func (p *printer) begun(hash plan.Digest, id string) *Action {
	for i, a := range p.Bundle.Content.Actions {
		if a.PlanHash == hash && a.ActionID == id {
			return &p.Bundle.Content.Actions[i]
		}
	}
	return nil
}

// request says what the policy asked and what people said.
func (p *printer) request(r Request) {
	asks := "nobody"
	if !r.Terms.Unattended() {
		asks = r.Terms.Asks()
	}
	p.line("asked", "%s by the policy %s, from %s until %s", plan.Escape(asks), plan.Escape(r.Terms.Version), stamp(r.OpenedAt), stamp(r.DecideBy))
	for _, why := range r.Terms.Reasons {
		p.line("", "rule %s, for %d actions: %s", plan.Escape(why.Rule), why.Actions, plan.Escape(why.Asks))
	}
	for _, j := range p.Bundle.Content.Judgements {
		for _, w := range j.Words {
			if v := w.Verdict; v.Code == approvals.Accepted && v.RequestID == r.RequestID && v.ActionID == "" {
				p.line("said", "%s by %s at %s, %s%s", plan.Escape(string(v.Decision)), plan.Escape(v.Approver), stamp(v.At),
					p.proof(v.Proven), because(v.Comment+v.Feedback))
			}
		}
	}
	if r.Grant == nil {
		p.line("granted", "not on this request")
		return
	}
	p.line("granted", "%s until %s", stamp(r.Grant.ApprovedAt), stamp(r.Grant.ExpiresAt))
}

// action says what one action is, who approved it, and what became of it.
func (p *printer) action(planned plan.Action, begun *Action, hash plan.Digest) {
	p.blank()
	p.line("action", "%s: %s to %s, key %s", plan.Escape(planned.ID), plan.Escape(planned.Tool), plan.Escape(planned.Target), planned.IdempotencyKey)
	if planned.Done != nil {
		p.line("", "done before this run; %s at %s, as the plan says", plan.Escape(planned.Done.Ref), stamp(planned.Done.At))
		return
	}
	if begun == nil {
		p.line("", "not begun")
		return
	}
	for _, r := range p.Bundle.Content.Requests {
		if r.PlanHash == hash && r.Grant != nil {
			p.grant(r, planned.ID)
		}
	}
	p.line("", "%s:", p.recorded())
	for _, t := range begun.Tries {
		p.try(t)
	}
	p.resolutions(hash, *begun)
}

// grant says by whom, under which policy and for how long an action was approved.
func (p *printer) grant(r Request, id string) {
	for _, a := range r.Grant.Approvals {
		p.line("", "approved by %s for %s, %s", plan.Escape(a.Approver), plan.Escape(a.Groups), p.proof(a.Proven))
	}
	var rules []string
	for _, why := range r.Terms.Reasons {
		rules = append(rules, plan.Escape(why.Rule))
	}
	if len(r.Grant.ByPolicy) > 0 {
		p.line("", "approved by nobody: the policy's rules %s ask nobody", plan.Escape(strings.Join(r.Grant.ByPolicy, ", ")))
	}
	p.line("", "under %s, rules %s, from %s until %s", plan.Escape(r.Grant.PolicyVersion), strings.Join(rules, ", "),
		stamp(r.Grant.ApprovedAt), stamp(r.Grant.ExpiresAt))
	for _, c := range r.Grant.Confirmations {
		if c.ActionID == id {
			p.line("", "confirmed by %s at %s, %s", plan.Escape(c.Approver), stamp(c.At), p.proof(c.Proven))
		}
	}
}

// proof says how a person proved who she is.
func (p *printer) proof(by approvals.Proven) string {
	switch {
	case by.Proof != approvals.BySignature:
		return "claim, not proved"
	case p.Keys[by.Signature] != "":
		return "signed with " + p.Keys[by.Signature]
	default:
		return "SIGNATURE NOT VERIFIED"
	}
}

func (p *printer) try(t Try) {
	became := string(t.Ending)
	switch {
	case t.Done != nil && t.Done.Outcome != "":
		became = string(t.Done.Outcome) + because(t.Done.Detail)
	case t.Settled != nil:
		became = string(t.Settled.Standing)
		if became == "" {
			became = "the policy of the day"
		}
	case t.Failure != nil:
		became += " (" + plan.Escape(t.Failure.Class) + ")" + because(t.Failure.Message)
	case t.Ending == "":
		became = "under way"
	}
	p.line("", "  %s, attempt %d, scheduled %s, by worker %s: %s", plan.Escape(t.Activity), t.Attempt, stamp(t.ScheduledAt), plan.Escape(t.Worker), became)
	if r := t.receipt(); r != nil {
		p.line("", "  receipt %s at %s", plan.Escape(r.Ref), stamp(r.At))
	}
}

// resolutions say what people found out about an action in doubt.
func (p *printer) resolutions(hash plan.Digest, begun Action) {
	id := begun.ActionID
	for _, j := range p.Bundle.Content.Judgements {
		for _, w := range j.Words {
			v := w.Verdict
			if j.About != AboutEffect || v.Code != approvals.Accepted || v.ActionID != id || v.PlanHash != hash.String() {
				continue
			}
			did, why := "resolved as", begun.notRecorded(j, w)
			if why != "" {
				did = "NOT RECORDED:"
			}
			p.line("", "%s %s by %s at %s, %s%s", did, v.Outcome, plan.Escape(v.Approver), stamp(v.At), p.proof(v.Proven), because(v.Evidence))
			if why != "" {
				p.line("", "  %s", plan.Escape(why))
			}
		}
	}
}

// notRecorded says why an accepted word about an action in doubt changed nothing: it
// came too late, or the worker that was to record it did not take it; "" when there
// is no such reason.
func (a Action) notRecorded(j Judgement, w Word) string {
	if w.Overtaken {
		return "it came too late: the run had gone on meanwhile"
	}
	for _, t := range a.Tries {
		if t.Word != nil && t.Settled != nil && t.Settled.Refused != "" && t.tells(j, w.Verdict) {
			return t.Settled.Refused
		}
	}
	return ""
}

// because is a text that somebody wrote, on one line.
func because(text string) string {
	if text == "" {
		return ""
	}
	return ": " + plan.Escape(text)
}
