package object

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
)

func TestObjectIsWrittenOnce(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		call := w.planned(theKey, "all is well\n")
		w.requireCount(0, call)
		receipt, err := w.apply(call)
		require.NoError(t, err)
		require.NotEmpty(t, receipt.Ref)
		require.Contains(t, receipt.Detail, theName)
		require.WithinDuration(t, time.Now(), receipt.At, 10*time.Second)
		w.requireContent("all is well\n")
		w.requireCount(1, call)

		again, err := w.apply(call)
		require.NoError(t, err)
		require.Equal(t, receipt.Ref, again.Ref)
		require.Equal(t, 1, w.writes(theKey))

		// Somebody's later write takes the place, and is not ours to count.
		w.put(theName, "by hand\n")
		w.requireCount(0, call)
		w.remove(theName)
		w.requireCount(0, call)
	})
}

// C017 for object stores within one process: nothing of the attempt runs after
// the store's answer, and no receipt is stored.
func TestObjectAttemptThatEndsAfterTheEffectIsRecovered(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		call, protocol := w.planned(theKey, "all is well\n"), newProtocol(t)
		endedAt(t, protocol, w.tool, call, effects.PointEffect)
		require.Equal(t, 1, w.writes(theKey))

		out, err := retried(t, protocol, w.tool, call)
		require.NoError(t, err)
		require.True(t, out.Recovered)
		require.Equal(t, 1, w.writes(theKey))
		w.requireContent("all is well\n")

		out, err = protocol.Run(t.Context(), w.tool, call, 9, "acme")
		require.NoError(t, err)
		require.True(t, out.Duplicate)
	})
}

func TestObjectAttemptThatEndsBeforeTheWriteIsMadeAgain(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		call, protocol := w.planned(theKey, "all is well\n"), newProtocol(t)
		endedAt(t, protocol, w.tool, call, effects.PointBegun)
		require.Zero(t, w.writes(theKey))
		_, err := retried(t, protocol, w.tool, call)
		require.NoError(t, err)
		require.Equal(t, 1, w.writes(theKey))
	})
}

func TestObjectChangedSinceThePlan(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		for name, change := range map[string]func(){
			"written by somebody": func() { w.put(theName, "by hand\n") },
			"taken away":          func() { w.remove(theName) },
		} {
			if w.mode == create && name == "taken away" {
				continue // it was not there
			}
			t.Run(name, func(t *testing.T) {
				call, protocol := w.planned(theKey, "all is well\n"), newProtocol(t)
				change()
				was, there := w.read(theName)
				out, err := protocol.Run(t.Context(), w.tool, call, 1, "acme")
				require.NoError(t, err)
				require.True(t, out.Drifted)
				require.Zero(t, w.writes(theKey))
				now, still := w.read(theName)
				require.Equal(t, there, still)
				require.Equal(t, was, now)

				if w.mode == create {
					_, err := w.prepare(params("all is well\n"))
					requireFault(t, err, faults.Permanent, "object_exists")
					return
				}
				// The new plan is for what is there now.
				_, err = protocol.Run(t.Context(), w.tool, w.planned(theKey, "all is well\n"), 2, "acme")
				require.NoError(t, err)
				require.Equal(t, 1, w.writes(theKey))
				w.put(theName, "the next case\n")
			})
			if w.mode == replace {
				return // one case a world: its key is used
			}
		}
	})
}

func TestKeyOfOtherParametersIsAConflict(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		_, err := w.apply(w.planned(theKey, "one\n"))
		require.NoError(t, err)
		other := w.planned(theKey, "one\n") // and then with other parameters
		other.Action.Parameters = []byte(`{"name":"2026-W48","text":"two\n"}`)
		for _, inDoubt := range []bool{false, true} {
			other.InDoubt = inDoubt
			_, err = w.apply(other)
			requireFault(t, err, faults.Permanent, "key_conflict")
			require.NotErrorIs(t, err, tools.ErrDrift)
		}
		w.requireContent("one\n")
		require.Equal(t, 1, w.writes(theKey))
	})
}

// A second plan that was made upon our own write, of which nobody knew, finds
// it, and writes nothing.
func TestPlanUponOurOwnLostWrite(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		_, err := w.apply(w.planned(theKey, "all is well\n"))
		require.NoError(t, err)
		again := w.planned(theKey, "all is well\n")
		again.InDoubt = true
		receipt, err := w.apply(again)
		require.NoError(t, err)
		require.NotEmpty(t, receipt.Ref)
		require.Equal(t, 1, w.writes(theKey))
	})
}

// The same, with content that differs from plan to plan: it is the mark that
// tells.
func TestPlanUponOurOwnLostWriteOfOtherContent(t *testing.T) {
	w, server := s3World(t, replace, objectserver.Options{})
	var err error
	w.tool, err = declare(t, "endpoint: "+server.URL(), "bucket: "+bucketA, `name: "weekly/{{params.name}}.txt"`, "mode: replace", `text: "{{params.text}}{{plan_hash}}"`)
	require.NoError(t, err)
	first, err := w.apply(w.planned(theKey, "all is well\n"))
	require.NoError(t, err)
	again := w.planned(theKey, "all is well\n")
	again.InDoubt, again.PlanHash = true, plan.Sum([]byte("another plan"))
	receipt, err := w.apply(again)
	require.NoError(t, err)
	require.Equal(t, first.Ref, receipt.Ref)
	require.Equal(t, 1, w.writes(theKey))
}

func TestObjectThatIsAsWantedIsNotWritten(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		call := w.planned(theKey, "all is well\n")
		w.put(theName, "all is well\n")
		receipt, err := w.apply(call)
		require.NoError(t, err)
		require.Contains(t, receipt.Detail, "has this content already")
		require.Zero(t, w.writes(theKey))

		prepared, err := w.prepare(params("all is well\n"))
		require.NoError(t, err)
		require.Contains(t, prepared.Preview, "no change")
	})
}

// Our write landed, its answer was lost, and somebody wrote again. That nothing
// of ours is there must not be taken for nothing written.
func TestWrittenAgainBySomebodyAfterALostAnswer(t *testing.T) {
	lost := func(t *testing.T, w *world) (*effects.Protocol, tools.Call) {
		t.Helper()
		call, protocol := w.planned(theKey, "all is well\n"), newProtocol(t)
		endedAt(t, protocol, w.tool, call, effects.PointEffect)
		w.put(theName, "by hand\n")
		return protocol, call
	}
	for _, mode := range both() {
		t.Run("S3 "+mode, func(t *testing.T) {
			w, _ := s3World(t, mode, objectserver.Options{})
			protocol, call := lost(t, w)
			_, err := retried(t, protocol, w.tool, call)
			requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
			require.NotErrorIs(t, err, tools.ErrDrift)
			w.requireContent("by hand\n")
			require.Equal(t, 1, w.writes(theKey))
		})
		t.Run("S3 with versions "+mode, func(t *testing.T) {
			w, _ := s3World(t, mode, objectserver.Options{Versioned: true})
			w.put(theName+".other", "beside\n") // in the same listing
			protocol, call := lost(t, w)
			out, err := retried(t, protocol, w.tool, call)
			require.NoError(t, err)
			require.Contains(t, out.Receipt.Ref, "version ")
			w.requireContent("by hand\n")
			require.Equal(t, 1, w.writes(theKey))
		})
		t.Run("file "+mode, func(t *testing.T) {
			w, _ := fileWorld(t, mode)
			protocol, call := lost(t, w)
			out, err := retried(t, protocol, w.tool, call)
			require.NoError(t, err)
			require.True(t, out.Recovered)
			w.requireContent("by hand\n")
			require.Equal(t, 1, w.writes(theKey))
		})
	}
	t.Run("S3 with versions, and ours not among them", func(t *testing.T) {
		w, _ := s3World(t, replace, objectserver.Options{Versioned: true})
		call := w.planned(theKey, "all is well\n")
		w.put(theName, "by hand\n")
		call.InDoubt = true
		_, err := w.apply(call)
		requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
	})
}

// Whoever puts back what was there before makes the same ETag. It is still a
// later state than the one that the plan was made for.
func TestPutBackBySomebodyAfterALostAnswer(t *testing.T) {
	for store, open := range map[string]func(*testing.T) *world{
		"S3":   func(t *testing.T) *world { w, _ := s3World(t, replace, objectserver.Options{}); return w },
		"file": func(t *testing.T) *world { w, _ := fileWorld(t, replace); return w },
	} {
		t.Run(store, func(t *testing.T) {
			w := open(t)
			call, protocol := w.planned(theKey, "all is well\n"), newProtocol(t)
			endedAt(t, protocol, w.tool, call, effects.PointEffect)
			require.Eventually(t, func() bool {
				w.put(theName, "before\n")
				now, err := w.prepare(params("all is well\n"))
				require.NoError(t, err)
				// A store's clock has seconds; a folder compares contents.
				return store == "file" || now.Precondition != call.Action.Precondition
			}, 10*time.Second, 50*time.Millisecond)
			_, err := retried(t, protocol, w.tool, call)
			if store == "S3" {
				requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
			} else {
				require.NoError(t, err)
			}
			w.requireContent("before\n")
			require.Equal(t, 1, w.writes(theKey))
		})
	}
}

// Of many attempts at once one writes, and all have its receipt.
func TestManyAttemptsAtOnce(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		call := w.planned(theKey, "all is well\n")
		call.InDoubt = true // as all but the first of them are
		const n = 24
		receipts, errs := make([]plan.Receipt, n), make([]error, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { receipts[i], errs[i] = w.apply(call) })
		}
		all.Wait()
		done := 0
		for i := range n {
			if errs[i] != nil {
				// A file that went away under a call is looked for by the next one.
				require.Equal(t, faults.Transient, faults.ClassOf(errs[i]), "%v", errs[i])
				continue
			}
			done++
			require.Equal(t, receipts[0].Ref != "", receipts[i].Ref != "")
		}
		require.Positive(t, done)
		require.Equal(t, 1, w.writes(theKey))
		w.requireContent("all is well\n")
	})
}

// Of two actions for one object one is made, and the other drifts.
func TestTwoActionsAtOnce(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		calls := []tools.Call{w.planned(theKey, "one\n"), w.planned(otherID, "two\n")}
		errs := make([]error, len(calls))
		var all sync.WaitGroup
		for i, call := range calls {
			all.Go(func() { _, errs[i] = w.apply(call) })
		}
		all.Wait()
		require.Equal(t, 1, w.writes(theKey)+w.writes(otherID), "%v", errs)
		for i, err := range errs {
			if w.writes(calls[i].Action.IdempotencyKey) == 1 {
				require.NoError(t, err)
			} else {
				requireDrift(t, err)
			}
		}
	})
}

func TestApprovalThatEndsBeforeTheWrite(t *testing.T) {
	for _, mode := range both() {
		t.Run("file "+mode, func(t *testing.T) {
			w, _ := fileWorld(t, mode)
			requireStopped(t, w)
		})
	}
	t.Run("S3 replace", func(t *testing.T) { // a creation has nothing before its write
		w, _ := s3World(t, replace, objectserver.Options{})
		requireStopped(t, w)
	})
}

func requireStopped(t *testing.T, w *world) {
	t.Helper()
	call := w.planned(theKey, "all is well\n")
	refusal := &faults.Fault{Class: faults.Permanent, Code: "expired", Reason: "the approval has expired"}
	call.MayBegin = func(context.Context) error { return refusal }
	_, err := w.apply(call)
	require.Equal(t, error(refusal), err)
	require.Zero(t, w.writes(theKey))
	// The next one, which is allowed, is not held up.
	call.MayBegin = nil
	_, err = w.apply(call)
	require.NoError(t, err)
	require.Equal(t, 1, w.writes(theKey))
}

func TestAnotherModeThanThePlans(t *testing.T) {
	worlds(t, both(), func(t *testing.T, w *world) {
		call := w.planned(theKey, "all is well\n")
		for _, precondition := range []string{"", map[string]string{create: "etag x of y", replace: absent}[w.mode]} {
			call.Action.Precondition = precondition
			_, err := w.apply(call)
			requireFault(t, err, faults.Permanent, "declaration_changed")
		}
		require.Zero(t, w.writes(theKey))
	})
}

// An attempt that ended between the link and the end of the claim: both names
// are one file.
func TestAttemptThatEndedInTheMomentAfterTheLink(t *testing.T) {
	linked := func(t *testing.T) (*world, string, tools.Call) {
		t.Helper()
		w, path := fileWorld(t, create)
		call := w.planned(theKey, "all is well\n")
		errDied := errors.New("ended")
		call.MayBegin = func(context.Context) error { return errDied }
		_, err := w.apply(call)
		require.ErrorIs(t, err, errDied)
		call.MayBegin = nil
		require.NoError(t, os.Link(filepath.Join(path, records, theKey, "content"), filepath.Join(path, theName)))
		call.InDoubt = true
		return w, path, call
	}
	t.Run("it is found", func(t *testing.T) {
		w, _, call := linked(t)
		receipt, err := w.apply(call)
		require.NoError(t, err)
		require.Contains(t, receipt.Detail, "by an earlier attempt")
		w.requireCount(1, call)
	})
	t.Run("and written again by somebody, nobody knows", func(t *testing.T) {
		w, _, call := linked(t)
		w.put(theName, "by hand\n")
		_, err := w.apply(call)
		requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
		w.requireContent("by hand\n")
	})
}
