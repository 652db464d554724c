package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/workflows"
)

// Options are what the verifier brings. The bundle's own keys prove nothing.
type Options struct {
	Signers  signature.AllowedSigners
	SealedBy string   // normalized; who must have sealed the bundle; "": anybody or nobody
	Policies []string // versions that the verifier knows; none: any policy will do
}

// Findings are what a bundle says of a run, as far as it was verified, and all
// that does not fit.
type Findings struct {
	Bundle   Bundle
	SealedBy string // "" when the bundle is not sealed
	SealKey  string // its fingerprint
	Plans    map[plan.Digest]plan.Plan
	// Keys are the fingerprints, by signature, of the verifier's keys that made
	// the signatures of accepted words.
	Keys map[string]string
	// Histories is how many of the executions' histories the verifier had from
	// elsewhere and found to be those of the bundle.
	Histories int
	Problems  []string
	// Remarks are what fits, and what a reader should know of all the same.
	Remarks []string
}

// Fits reports that nothing was found wrong.
func (f Findings) Fits() bool { return len(f.Problems) == 0 }

// Verify checks everything that can be checked without the history.
func Verify(b Bundle, o Options) Findings {
	v := newVerifier(b, o)
	var err error
	if v.SealedBy, v.SealKey, err = b.checkSeal(o); err != nil {
		v.bad("seal", "%v", err)
	}
	v.checkContent()
	return v.Findings
}

func newVerifier(b Bundle, o Options) *verifier {
	return &verifier{
		options: o, content: b.Content, task: b.Content.Task.Asked.WithDefaults(),
		policies: map[string]*policy.Policy{}, terms: map[string]approvals.Terms{}, requests: map[string]int{},
		loadPlan: plan.Load, readPolicy: policy.FromCanonical,
		Findings: Findings{Bundle: b, Plans: map[plan.Digest]plan.Plan{}, Keys: map[string]string{}},
	}
}

// checkContent checks everything but the seal.
func (v *verifier) checkContent() {
	for _, check := range v.checks() {
		check()
	}
}

// checks are those of everything but the seal. Each builds on those before.
func (v *verifier) checks() []func() {
	return []func(){
		v.checkMissing, v.checkTask, v.checkExecutions, v.checkContext, v.checkPlans, v.checkPolicies, v.checkRequests, v.checkToday, v.checkPlaces,
		v.checkJudgements, v.checkGrants, v.checkActions, v.checkResolutions, v.checkNotices, v.checkResult, v.checkReport,
	}
}

func (v *verifier) checkMissing() {
	for _, text := range v.content.Missing {
		v.bad("missing", "%s", text)
	}
}

// verifier goes through one bundle.
type verifier struct {
	Findings

	options  Options
	content  Content
	task     workflows.Task // as the workflow reads what was asked
	policies map[string]*policy.Policy
	terms    map[string]approvals.Terms // of policies for plans, by version and hash
	requests map[string]int             // places by id
	gates    []Gate                     // of the requests, as the words leave them
	left     left                       // by the last judgement about effects

	loadPlan   func([]byte, plan.Digest) (plan.Plan, error)
	readPolicy func([]byte) (*policy.Policy, error)
}

// bad records what does not fit, and where.
func (v *verifier) bad(where, format string, args ...any) {
	v.Problems = append(v.Problems, where+": "+fmt.Sprintf(format, args...))
}

// remark records what fits and is unusual, and where.
func (v *verifier) remark(where, format string, args ...any) {
	v.Remarks = append(v.Remarks, where+": "+fmt.Sprintf(format, args...))
}

// absent reports a text that is missing, as the bundle itself says.
func (v *verifier) absent(text string) bool { return text == "" && len(v.content.Missing) > 0 }

// same reports whether two values of one type are written alike.
func same(a, b any) bool {
	first, errA := json.Marshal(a)
	second, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(first, second)
}

func (v *verifier) checkTask() {
	task := v.content.Task
	sum, err := task.Asked.Digest()
	switch {
	case err != nil:
		v.bad("task", "%v", err)
	case sum != task.SHA256:
		v.bad("task", "it has the digest %s, the run was started with %s", sum, task.SHA256)
	}
	if _, err := approvals.NormalizeIdentity(task.Asked.Requester); err != nil {
		v.bad("task", "the requester: %v", err)
	}
}

func (v *verifier) checkExecutions() {
	list := v.content.Executions
	if len(list) == 0 {
		v.bad("executions", "there is none")
	}
	for i, e := range list {
		where := fmt.Sprintf("execution %d", i)
		if e.WorkflowID != v.content.RunID {
			v.bad(where, "it is of the workflow %s, the run is %s", plan.Escape(e.WorkflowID), plan.Escape(v.content.RunID))
		}
		if e.RunID == "" || slices.ContainsFunc(list[:i], func(earlier Execution) bool { return earlier.RunID == e.RunID }) {
			v.bad(where, "its run id %s is no id of its own", plan.Escape(e.RunID))
		}
		if e.Events < 1 || e.History.IsZero() {
			v.bad(where, "it has no history")
		}
		if continued := e.End == endContinued; continued == (i == len(list)-1) {
			v.bad(where, "its end is %q at this place in the chain", plan.Escape(e.End))
		}
	}
}

// endContinued is the end of every execution but the last.
const endContinued = "WorkflowExecutionContinuedAsNew"

func (v *verifier) checkContext() {
	c := v.content.Context
	if c == nil {
		if len(v.content.Plans) > 0 {
			v.bad("context", "there is a plan and no context")
		}
		return
	}
	if v.absent(c.Manifest.Text) {
		return
	}
	if sum := plan.Sum([]byte(c.Manifest.Text)); sum != c.Manifest.SHA256 {
		v.bad("context", "the manifest has the digest %s, not %s", sum, c.Manifest.SHA256)
	}
	sum, err := contextDigest([]byte(c.Manifest.Text))
	switch {
	case err != nil:
		v.bad("context", "the manifest: %v", err)
	case sum != c.Digest:
		v.bad("context", "the manifest's documents have the digest %s, not %s", sum, c.Digest)
	}
}

func (v *verifier) checkPlans() {
	revision := -1
	for _, text := range v.content.Plans {
		where := "plan " + text.SHA256.String()
		if v.absent(text.Text) {
			revision++
			continue
		}
		if sum := plan.Sum([]byte(text.Text)); sum != text.SHA256 {
			v.bad(where, "its bytes have the digest %s", sum)
			continue
		}
		p, err := v.loadPlan([]byte(text.Text), text.SHA256)
		if err != nil {
			v.bad(where, "%v", err)
			continue
		}
		if _, again := v.Plans[text.SHA256]; again {
			v.bad(where, "it is there twice")
		}
		v.Plans[text.SHA256] = p
		switch {
		case p.RunID != v.content.RunID:
			v.bad(where, "it is of the run %s", plan.Escape(p.RunID))
		case p.Tenant != v.task.Tenant, p.BusinessID != v.task.BusinessID, p.Goal != v.task.Goal:
			v.bad(where, "it is for another tenant, business id or goal than the task")
		case v.content.Context != nil && p.ContextDigest != v.content.Context.Digest:
			v.bad(where, "it was made of the context %s", p.ContextDigest)
		case p.Revision != revision+1:
			v.bad(where, "it has revision %d after %d", p.Revision, revision)
		}
		revision = p.Revision
	}
}

func (v *verifier) checkPolicies() {
	used, listed := v.content.PolicyVersions(), []string{}
	for _, text := range v.content.Policies {
		listed = append(listed, text.Version)
		where := "policy " + plan.Escape(text.Version)
		if v.absent(text.Canonical) {
			continue
		}
		p, err := v.readPolicy([]byte(text.Canonical))
		switch {
		case err != nil:
			v.bad(where, "%v", err)
			continue
		case p.Version() != text.Version:
			v.bad(where, "its bytes are those of %s", p.Version())
		case v.policies[text.Version] != nil:
			v.bad(where, "it is there twice")
		case !slices.Contains(used, text.Version):
			v.bad(where, "nothing was evaluated with it")
		case len(v.options.Policies) > 0 && !slices.Contains(v.options.Policies, text.Version):
			v.bad(where, "it is none of the policies that you gave")
		}
		v.policies[text.Version] = p
	}
	there := slices.DeleteFunc(used, func(version string) bool { return !slices.Contains(listed, version) })
	if !slices.Equal(listed, there) {
		v.bad("policies", "they are not in the order in which something was first judged by them")
	}
}

func (v *verifier) checkRequests() {
	for i, r := range v.content.Requests {
		where := "request " + plan.Escape(r.RequestID)
		if _, again := v.requests[r.RequestID]; again || r.RequestID == "" {
			v.bad(where, "it has no id of its own")
		}
		v.requests[r.RequestID] = i
		gate, err := OpenGate(v.content.RunID, v.task.Requester, r)
		if err != nil {
			v.bad(where, "%v", err)
		}
		v.gates = append(v.gates, gate)
		if want := r.OpenedAt.Add(r.Terms.DecideWithin); !want.Equal(r.DecideBy) {
			v.bad(where, "opened at %s with %s to decide, it does not wait until %s", stamp(r.OpenedAt), r.Terms.DecideWithin, stamp(r.DecideBy))
		}
		v.checkChannels(where, r)
		if i > 0 && v.content.Requests[i-1].OpenedAt.After(r.OpenedAt) {
			v.bad(where, "it was opened before the one before it")
		}
		v.checkTerms(where, r)
	}
}

// checkTerms evaluates the policy anew.
func (v *verifier) checkTerms(where string, r Request) {
	if terms, known := v.evaluated(where, r.Terms.Version, r.PlanHash); known && !sameTerms(terms, r.Terms) {
		v.bad(where, "the policy %s asks for something else than its terms say", plan.Escape(r.Terms.Version))
	}
}

// sameTerms leaves out the words in which the reasons say what was asked for,
// which another version may choose otherwise.
func sameTerms(a, b approvals.Terms) bool {
	for _, t := range []*approvals.Terms{&a, &b} {
		t.Reasons = slices.Clone(t.Reasons)
		for i := range t.Reasons {
			t.Reasons[i].Asks = ""
		}
	}
	return same(a, b)
}
