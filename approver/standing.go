package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// show writes the plan and, below it, whom the policy asks about it and what
// they have said.
func show(out io.Writer, run *runs.Run, p plan.Plan) error {
	if err := plan.Render(out, p, run.Status.PlanHash); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nStatus %s\n", plan.Show(string(run.Status.Status)))
	sheet := fields{out}
	sheet.line("reason", run.Status.Reason)
	if run.State.Request != nil {
		showTerms(sheet, run)
	}
	showApprovals(sheet, run)
	showWaiting(sheet, run)
	return nil
}

// fields writes names and values as plan.Render does.
type fields struct{ out io.Writer }

// line writes a value, whoever it is from, and nothing when there is none.
func (f fields) line(name, value string) {
	if value != "" {
		_ = plan.WriteField(f.out, name, value) // a screen that is gone shows nothing
	}
}

// whole is line for what is copied, or searched, in one piece, and so is not
// broken however long it is.
func (f fields) whole(name, value string) {
	if value != "" {
		fmt.Fprintf(f.out, "   %-13s%s\n", name, plan.Show(value))
	}
}

// showTerms shows the policy as it was evaluated for this plan.
func showTerms(sheet fields, run *runs.Run) {
	terms := run.State.Request.Terms
	sheet.line("requester", run.Task.Requester+", by the word of whoever started the run")
	sheet.line("policy", terms.Version)
	if terms.Unattended() {
		sheet.line("asks", "nobody, by "+strings.Join(terms.ByPolicy, ", "))
	} else {
		sheet.line("asks", terms.Asks())
	}
	for _, r := range terms.Reasons {
		sheet.line("because", fmt.Sprintf("%s, of %s: %s", r.Rule, count(r.Actions, "action"), r.Asks))
	}
	for _, q := range terms.Quorums {
		sheet.line("group", q.Group+": "+strings.Join(q.Members, ", "))
	}
	if terms.Shared && len(terms.Quorums) > 1 {
		sheet.line("shared", "one person may count for several groups")
	}
	if !terms.Unattended() {
		sheet.line("proof", proofWanted(terms.Proof))
		sheet.line("time", span(terms.DecideWithin)+" to decide"+askAgain(run))
	}
	sheet.line("grant life", span(terms.GrantLife)+" from the last approval on")
	if len(terms.Confirm) > 0 {
		sheet.line("confirm", "right before each of these is sent it needs a word of its own: "+strings.Join(terms.Confirm, ", "))
	}
}

func proofWanted(p approvals.Proof) string {
	if p == approvals.BySignature {
		return "signature: each decision is signed with a key that the policy has for its approver"
	}
	return "claim: the name in the decision is taken as it is"
}

func askAgain(run *runs.Run) string {
	times := run.State.Request.Terms.AskAgain
	if times == 0 {
		return ""
	}
	return fmt.Sprintf("; then it is asked again, %d of %d times so far", run.State.Asked, times)
}

// showApprovals shows who has approved, and who has not.
func showApprovals(sheet fields, run *runs.Run) {
	for _, a := range run.Approvals() {
		sheet.line("approved", runs.Approved(a))
		sheet.line("comment", a.Comment)
	}
	gate := run.State.GateNow()
	if run.Status.Status == workflows.WaitingApproval && gate.Phase == approvals.PhaseOpen {
		sheet.line("missing", gate.Missing())
		sheet.line("who may", strings.Join(run.MayStillApprove(), ", "))
		sheet.line("decide by", gate.Expires().Format(time.RFC3339))
	}
	if g := run.Status.Approval; g != nil {
		for _, c := range g.Confirmations {
			sheet.line("confirmed", c.ActionID+" by "+runs.Approved(c.Approval))
		}
		sheet.line("granted", fmt.Sprintf("%s, by %s, until %s", g.ApprovedAt.Format(time.RFC3339), g.By(), g.ExpiresAt.Format(time.RFC3339)))
	}
}

// showWaiting shows the actions about which a person must say something.
func showWaiting(sheet fields, run *runs.Run) {
	for _, a := range run.State.Actions {
		switch {
		case run.Closed:
		case a.Unconfirmed:
			may := run.State.Gate.Terms.ConfirmersFor(run.State.Gate.Requester, a.ID)
			sheet.line("unconfirmed", a.ID+": "+strings.Join(may, ", ")+" may let it go, or reject it")
		case a.Resolvable():
			sheet.line("in doubt", fmt.Sprintf("%s, sent to %s since %s: %s", a.ID, a.Doubt.Target, a.Doubt.SentAt.Format(time.RFC3339), a.Doubt.Detail))
			sheet.line("who may", strings.Join(run.State.Doubts().Terms.ResolversFor(run.State.Gate.Requester, a.ID), ", "))
		}
	}
}

// showNext writes what one who may would type.
func showNext(out io.Writer, run *runs.Run) {
	if run.Closed {
		return
	}
	// A command is copied, and so stands on one line however long it is.
	command := func(c string) { fmt.Fprintf(out, "  %s\n", plan.Show(c)) }
	for _, a := range run.State.Actions {
		switch {
		case a.Unconfirmed:
			if may := run.State.Gate.Terms.ConfirmersFor(run.State.Gate.Requester, a.ID); len(may) > 0 {
				fmt.Fprintf(out, "\nto let action %s go, as one of those who may:\n", plan.Show(a.ID))
				command(runs.ConfirmCommand(run.ID, a.ID, may[0]))
			}
		case a.Resolvable():
			if resolver := run.State.Doubts().ResolverOf(a.ID); resolver != "" {
				fmt.Fprintf(out, "\nto resolve action %s, after a look at its target:\n", plan.Show(a.ID))
				command(runs.ResolveCommand(run.ID, a.ID, resolver))
			}
		}
	}
	if run.State.Gate.Phase != approvals.PhaseOpen {
		return
	}
	may := run.MayStillApprove()
	if len(may) == 0 {
		fmt.Fprint(out, "\nnobody whom the policy names may approve this run; reject it, or change the policy and ask again\n")
		return
	}
	fmt.Fprint(out, "\nto approve, as one of those who may:\n")
	command(workflows.Command("approver", "approve", run.ID, "--as", may[0]))
	if run.State.Gate.Terms.Proof == approvals.BySignature {
		fmt.Fprint(out, "or sign by hand:\n")
		command(workflows.Command("approver", "statement", run.ID, "--decision", "approve", "--as", may[0]) + " > s.txt")
		command("ssh-keygen -Y sign -n holdpoint -f KEY s.txt")
		command(workflows.Command("approver", "approve", run.ID, "--as", may[0], "--signature", "s.txt.sig"))
		return
	}
	fmt.Fprint(out, "or\n")
	command(workflows.ApproveCommand(run.ID, run.Status.PlanHash, may[0], ""))
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// span writes a period without the zeros that time.Duration writes after it.
func span(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
