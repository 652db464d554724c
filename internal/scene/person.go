package scene

import (
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/workflows"
)

// Way is how a person speaks to a run.
type Way int

// The ways. The first is everybody's unless By says otherwise.
const (
	Update    Way = iota // an update, which is answered with the verdict
	Signal               // a signal
	CLI                  // a signal by the plain temporal command
	CLIUpdate            // an update by the plain temporal command
)

// Person is somebody who starts runs and decides on them.
type Person struct {
	stage  *Stage
	name   string
	tenant string // of the runs that she starts
	way    Way
	keyOf  string // whose key she signs with; "" when she only claims
}

// By is the same person, speaking another way.
func (p *Person) By(way Way) *Person {
	other := *p
	other.way = way
	return &other
}

// Of is the same person, working for another tenant.
func (p *Person) Of(tenant string) *Person {
	other := *p
	other.tenant = tenant
	return &other
}

// Signing is the same person, who signs whatever she says with her key.
func (p *Person) Signing() *Person { return p.SigningAs(p.name) }

// SigningAs is the same person, who signs with somebody's key.
func (p *Person) SigningAs(name string) *Person {
	other := *p
	other.keyOf = name
	return &other
}

// Approves approves the plan that the run has now.
func (p *Person) Approves(r *Run) Answer {
	p.stage.t.Helper()
	return p.Says(r, p.decides(r, approvals.Approve))
}

// Signs approves with her signature the plan that the run has now.
func (p *Person) Signs(r *Run) Answer {
	p.stage.t.Helper()
	return p.Signing().Approves(r)
}

// Rejects rejects the plan that the run has now.
func (p *Person) Rejects(r *Run, comment string) Answer {
	p.stage.t.Helper()
	d := p.decides(r, approvals.Reject)
	d.Comment = comment
	return p.Says(r, d)
}

// Revises asks for another plan.
func (p *Person) Revises(r *Run, feedback string) Answer {
	p.stage.t.Helper()
	d := p.decides(r, approvals.Revise)
	d.Feedback = feedback
	return p.Says(r, d)
}

// Confirms lets one action go that waits for a word of its own.
func (p *Person) Confirms(r *Run, actionID string) Answer {
	p.stage.t.Helper()
	d := p.decides(r, approvals.Approve)
	d.ActionID = actionID
	return p.Says(r, d)
}

// Stops rejects one action that waits for a word of its own.
func (p *Person) Stops(r *Run, actionID, comment string) Answer {
	p.stage.t.Helper()
	d := p.decides(r, approvals.Reject)
	d.ActionID, d.Comment = actionID, comment
	return p.Says(r, d)
}

// decides is a decision on the plan that the run has now.
func (p *Person) decides(r *Run, choice approvals.Choice) approvals.Decision {
	p.stage.t.Helper()
	return approvals.Decision{Decision: choice, PlanHash: r.Hash(), Approver: p.name}
}

// Says sends a decision, signed for the run's present request if she signs.
func (p *Person) Says(r *Run, d approvals.Decision) Answer {
	p.stage.t.Helper()
	if p.keyOf != "" {
		d.Signature = p.Signature(r, d)
	}
	return r.Hears(p.way, d)
}

// Signature is hers over a decision on the run's present request.
func (p *Person) Signature(r *Run, d approvals.Decision) string {
	p.stage.t.Helper()
	signed, err := Sign(r.Status(), p.keyOf, d)
	p.stage.require.NoError(err)
	return signed
}

// Sign makes somebody's signature over a decision on the request that a status
// shows.
func Sign(at workflows.Status, keyOf string, d approvals.Decision) (string, error) {
	request := approvals.Request{RunID: at.RunID, RequestID: at.RequestID}
	if at.DecideBy != nil {
		request.DecideBy = *at.DecideBy
	}
	if at.Approval != nil {
		request.GrantedUntil = at.Approval.ExpiresAt
	}
	statement, err := request.StatementOf(d)
	if err != nil {
		return "", err
	}
	return sign(statement.Bytes(), keyOf)
}

// SignResolution makes somebody's signature over a word about an action in doubt,
// which names the claim that it is about.
func SignResolution(runID, keyOf string, r approvals.Resolution) (string, error) {
	statement, err := approvals.Doubts{RunID: runID}.StatementOf(r)
	if err != nil {
		return "", err
	}
	return sign(statement.Bytes(), keyOf)
}

func sign(statement []byte, keyOf string) (string, error) {
	key, err := KeyOf(keyOf)
	if err != nil {
		return "", err
	}
	return signature.Sign(statement, key)
}

// Starts starts a run whose plan has these actions.
func (p *Person) Starts(steps ...Step) *Run {
	p.stage.t.Helper()
	return p.StartsPlans(steps)
}

// StartsPlans starts a run whose plan is the first, and after each revision that
// an approver asks for the next one.
func (p *Person) StartsPlans(plans ...[]Step) *Run {
	p.stage.t.Helper()
	r, err := p.TryStart(plans...)
	p.stage.require.NoError(err)
	return r
}

// Hash reads a plan hash, for decisions about plans that a run no longer has.
func Hash(text string) plan.Digest {
	d, err := plan.ParseDigest(text)
	if err != nil {
		panic(err)
	}
	return d
}
