package tools

import "github.com/holdpoint/holdpoint/approvals/plan"

// TargetDigester is a tool whose targets have settings of their own, such as
// repositories by their names: a change to one target's settings is none to the
// plans for the others.
type TargetDigester interface {
	Tool

	// TargetDigest is [Spec.Digest] for the actions on one target. Of a target
	// that the tool does not know it is zero.
	TargetDigest(target string) plan.Digest
}

// DigestOf is the digest that a plan's action on target is bound to; zero when
// the tool's version and schema are all that it is bound to.
func DigestOf(t Tool, target string) plan.Digest {
	if digester, ok := t.(TargetDigester); ok {
		return digester.TargetDigest(target)
	}
	return t.Spec().Digest
}
