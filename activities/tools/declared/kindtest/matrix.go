package kindtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
)

// Matrix runs each case against a subject of its own. What must come of it is
// read from the tool's delivery class: transactional, conditional, keyed
// inside its window and an authoritative lookup end with one effect and its
// receipt; the others stop with faults.CodeOutcomeUnknown and send nothing
// more, unless a look at the target shows the effect.
func Matrix(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			if c.applies == nil || c.applies(s) {
				c.run(newTrial(t, s))
			}
		})
	}
}

// matrixCase is one way in which things go wrong.
type matrixCase struct {
	name    string
	applies func(Subject) bool // nil: to every subject
	run     func(*trial)
}

func cases() []matrixCase {
	linked := func(s Subject) bool { return s.Link != nil }
	return []matrixCase{
		{"NothingGoesWrong", nil, nothingGoesWrong},
		{"KilledBeforeSend", nil, killedBeforeSend},
		{"KilledAfterEffect", nil, killedAfterEffect},
		{"AnswerLost", nil, answerLost},
		{"AnswerCut", linked, func(r *trial) { r.answerBroken((*Link).CutAnswers) }},
		{"AnswerReset", linked, func(r *trial) { r.answerBroken((*Link).ResetAnswers) }},
		{"TargetDown", linked, targetDown},
		{"KeyKnownInLedger_OtherPayload", nil, knownInLedger},
		{"KeyInDoubtInLedger_OtherPayload", nil, inDoubtInLedger},
		{"KeyKnownAtTarget_SamePayload", Subject.resends, knownAtTarget},
		{"KeyKnownAtTarget_OtherPayload", Subject.resends, otherAtTarget},
	}
}

// nothingGoesWrong is the base of all the others, and a second request of the
// same.
func nothingGoesWrong(r *trial) {
	r.done()
	out, err := r.attempt(1)
	require.NoError(r.t, err)
	require.True(r.t, out.Duplicate)
	require.Equal(r.t, 1, r.tool.Calls())
	r.requireEffects(1)
}

// done makes the effect without trouble.
func (r *trial) done() {
	r.t.Helper()
	out, err := r.retried(1)
	require.NoError(r.t, err)
	r.requireReceipt(out.Receipt)
	r.requireEffects(1)
}

func killedBeforeSend(r *trial) {
	r.killedAt(effects.PointBegun)
	require.Zero(r.t, r.tool.Calls())
	r.requireSettled(false)
}

func killedAfterEffect(r *trial) {
	r.killedAt(effects.PointEffect)
	r.waitForEffects(1)
	r.requireSettled(true)
}

func answerLost(r *trial) {
	if r.s.Link != nil {
		r.answerBroken((*Link).LoseAnswers)
		return
	}
	r.loseNext()
	_, err := r.attempt(1)
	require.Error(r.t, err)
	r.requireSettled(true)
}

// answerBroken is an attempt whose answer does not arrive whole, although the
// target has made the effect.
func (r *trial) answerBroken(fault func(l *Link, sent string)) {
	r.t.Helper()
	fault(r.s.Link, r.s.Sent)
	out, err := r.attempt(1)
	require.Positive(r.t, r.s.Link.Fired(), "Sent was not sent: %v", err)
	r.waitForEffects(1)
	r.s.Link.Heal()
	if err == nil {
		// Another connection may have told the tool; nothing else may.
		require.True(r.t, r.s.settles(true), "success without an answer")
		r.requireReceipt(out.Receipt)
		r.requireEffects(1)
		return
	}
	r.t.Logf("the first attempt: %v", err)
	require.Contains(r.t, []faults.Class{faults.Unknown, faults.InProgress}, faults.ClassOf(err), "the effect may be there: %v", err)
	r.requireSettled(true)
}

// targetDown is a target that nothing was sent to: not in doubt in any class.
func targetDown(r *trial) {
	r.s.Link.Down()
	_, err := r.attempt(1)
	require.Error(r.t, err)
	r.t.Logf("the target down: %v", err)
	require.Contains(r.t, []faults.Class{faults.Transient, faults.Throttled}, faults.ClassOf(err), "nothing was sent: %v", err)
	r.s.Link.Up(r.t)
	r.done()
}

// knownInLedger is a key that our own ledger knows to be used.
func knownInLedger(r *trial) {
	r.done()
	_, err := r.attempt(2)
	r.requireRefused(err, "key_conflict")
}

// inDoubtInLedger is the same with an outcome that nobody knows: other
// parameters never settle it.
func inDoubtInLedger(r *trial) {
	r.loseNext()
	_, err := r.attempt(1)
	for tries := 1; tries < 5 && faults.ClassOf(err) == faults.Transient; tries++ {
		_, err = r.attempt(1) // nothing was sent: a busy target did not answer a read
	}
	require.Contains(r.t, []faults.Class{faults.Unknown, faults.InProgress}, faults.ClassOf(err), "the effect may be there: %v", err)
	_, err = r.retried(2)
	r.requireRefused(err, "key_in_doubt")
}

// requireRefused wants the ledger to have refused other parameters, before
// anything was sent.
func (r *trial) requireRefused(err error, code string) {
	r.t.Helper()
	require.Error(r.t, err)
	require.Equal(r.t, faults.Permanent, faults.ClassOf(err))
	require.Equal(r.t, code, faults.Name(err).Code)
	require.Equal(r.t, 1, r.tool.Calls())
	r.requireEffects(1)
}

// knownAtTarget is a repeated request of which only the target knows.
func knownAtTarget(r *trial) {
	r.done()
	r.freshLedger()
	r.done()
}

// otherAtTarget is the same with other parameters. The target's first effect
// stands; a target that can tell refuses, and then a run must not take it for
// its own.
func otherAtTarget(r *trial) {
	r.done()
	r.freshLedger()
	out, err := r.retried(2)
	if r.s.TellsPayload && !out.Drifted {
		require.Error(r.t, err, "an effect with other parameters is not this action's")
		require.Equal(r.t, faults.Permanent, faults.ClassOf(err), "%v", err)
	}
	r.requireEffects(1)
}
