package approvals

import (
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Statement is what an approver signs: a text that a person can read, and from
// which nothing that matters can be left out. It is of one request of one run,
// so that a signature is worth nothing anywhere else.
type Statement struct {
	Run      string
	Request  string // fresh for each opening of the gate
	Plan     plan.Digest
	Decision Choice
	Action   string // of a confirmation; otherwise empty
	Approver string // normalized
	// Expires is until when the request waits, or, for a word about one action,
	// until when the plan's approval holds. What comes later is void.
	Expires time.Time
	Text    plan.Digest // of the comment or feedback, which may be empty
}

// Bytes is the text that is signed, line by line, each with its newline. What
// could break a line or deceive an eye is escaped as plan.Escape does.
func (s Statement) Bytes() []byte {
	var b strings.Builder
	line := func(name, value string) { b.WriteString(name + ": " + plan.Escape(value) + "\n") }
	b.WriteString("holdpoint decision v1\n")
	line("run", s.Run)
	line("request", s.Request)
	line("plan", s.Plan.String())
	line("decision", string(s.Decision))
	if s.Action != "" {
		line("action", s.Action)
	}
	line("approver", s.Approver)
	line("expires", s.Expires.UTC().Format(time.RFC3339))
	line("text-sha256", hexOf(s.Text))
	return []byte(b.String())
}

// ResolutionStatement is what an operator signs about an action in doubt.
type ResolutionStatement struct {
	Run      string
	Plan     plan.Digest
	Action   string
	Claim    string // which claim of the action is in doubt
	Outcome  Outcome
	Operator string      // normalized
	Evidence plan.Digest // of the evidence's text
	// Request names the asking that a NotHappened answers which was asked anew,
	// after a reset: what was signed before answers it no more. It is empty of every
	// other word, and then stands in no text.
	Request string
}

// Bytes is the text that is signed.
func (s ResolutionStatement) Bytes() []byte {
	var b strings.Builder
	line := func(name, value string) { b.WriteString(name + ": " + plan.Escape(value) + "\n") }
	b.WriteString("holdpoint resolution v1\n")
	line("run", s.Run)
	if s.Request != "" {
		line("request", s.Request)
	}
	line("plan", s.Plan.String())
	line("action", s.Action)
	line("claim", s.Claim)
	line("outcome", string(s.Outcome))
	line("operator", s.Operator)
	line("evidence-sha256", hexOf(s.Evidence))
	return []byte(b.String())
}

// hexOf is a digest without the name of its algorithm, as sha256sum prints it.
func hexOf(d plan.Digest) string { return strings.TrimPrefix(d.String(), "sha256:") }

// StatementOf is what d says about the request r, as its approver signs it.
func (r Request) StatementOf(d Decision) (Statement, error) {
	name, err := NormalizeIdentity(d.Approver)
	if err != nil {
		return Statement{}, err
	}
	return Statement{
		Run: r.RunID, Request: r.RequestID, Plan: d.PlanHash, Decision: d.Decision, Action: d.ActionID,
		Approver: name, Expires: r.expiresOf(d), Text: plan.Sum([]byte(d.text())),
	}, nil
}

// StatementOf is what r says about an action in doubt, as its operator signs
// it. Without a claim of its own it is about the one in doubt now.
func (d Doubts) StatementOf(r Resolution) (ResolutionStatement, error) {
	name, err := NormalizeIdentity(r.Operator)
	if err != nil {
		return ResolutionStatement{}, err
	}
	s := ResolutionStatement{
		Run: d.RunID, Plan: r.PlanHash, Action: r.ActionID, Claim: r.Claim, Outcome: r.Outcome,
		Operator: name, Evidence: plan.Sum([]byte(r.Evidence)),
	}
	for _, w := range d.Waiting {
		if w.ActionID == r.ActionID && s.Claim == "" {
			s.Claim = w.Claim
		}
		if w.ActionID == r.ActionID && s.Claim == w.Claim && s.Outcome == NotHappened {
			s.Request = w.Request
		}
	}
	return s, nil
}
