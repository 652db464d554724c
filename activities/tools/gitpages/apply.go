package gitpages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// write is one Apply.
type write struct {
	call    tools.Call
	key     string
	repo    *repository
	page    string
	title   string
	content []byte
	blob    string // content's id
}

// newWrite checks an approved action again: the worker may be another one than
// the one that prepared it.
func (t *Tool) newWrite(c tools.Call) (*write, error) {
	params, err := parseApproved(c.Action.Parameters)
	if err != nil {
		return nil, err
	}
	r, page, err := t.resolve(c.Action.Target)
	if err != nil {
		return nil, err
	}
	if page != params.Page && !strings.HasSuffix(page, "/"+params.Page) {
		return nil, permanent(codeTarget, "the target %s is not where page %s belongs", gitcli.Quote(c.Action.Target), gitcli.Quote(params.Page))
	}
	if err := checkKey(c.Action.IdempotencyKey); err != nil {
		return nil, err
	}
	content := []byte(params.Content)
	return &write{
		call: c, key: c.Action.IdempotencyKey, repo: r, page: page,
		title: params.Title, content: content, blob: r.blobID(content),
	}, nil
}

// run tries until the refs have moved, or it is plain that they will not: a
// refusal, or nothing that changes for as long as the patience lasts. While
// others make progress it goes on, because their next commit may be the last.
func (w *write) run(ctx context.Context) (plan.Receipt, error) {
	var seen position
	var lost *lostError // the last step that was not reported as done
	quiet := time.Now()
	for round := 0; ; round++ {
		at, err := w.repo.refs.position(ctx, w.key)
		switch {
		case err != nil:
			return plan.Receipt{}, w.unread(lost, err)
		case at != seen:
			seen, quiet, round = at, time.Now(), 0
		case lost != nil && lost.verdict == nil && time.Since(quiet) > w.repo.patience:
			return plan.Receipt{}, w.repo.refs.stuck(w.key, lost)
		}
		done, err := w.step(ctx, at, lost)
		if err == nil {
			w.show(ctx, done)
			return w.receipt(done.commit), nil
		}
		if !errors.As(err, &lost) {
			return plan.Receipt{}, asFault(err)
		}
		if !pause(ctx, round) {
			return plan.Receipt{}, w.unread(lost, ctx.Err())
		}
	}
}

// step makes the effect from one reading of the refs, or finds that it has
// been made. A lostError says that the refs have to be read again.
func (w *write) step(ctx context.Context, at position, lost *lostError) (effect, error) {
	done, found, err := w.earlier(ctx, at)
	switch {
	case err != nil:
		return effect{}, w.unread(lost, err)
	case found:
		return done, nil
	case lost != nil && lost.verdict != nil:
		return effect{}, lost.verdict
	default:
		return w.attempt(ctx, at)
	}
}

// pause waits a short random time, longer with each round, so that those who
// met once do not meet again. It reports false when ctx ended.
func pause(ctx context.Context, round int) bool {
	const base, most = 10 * time.Millisecond, 250 * time.Millisecond
	limit := min(most, base<<min(round, 10))
	timer := time.NewTimer(rand.N(limit)) //nolint:gosec // any spread will do
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// effect is a commit that stands for the key, and the page's place before it
// and in it.
type effect struct {
	commit
	before, after place
}

// attempt makes the effect from a reading of the refs in which there is none
// yet.
func (w *write) attempt(ctx context.Context, at position) (effect, error) {
	before, err := w.repo.inspect(ctx, at.head, w.page)
	if err != nil {
		return effect{}, err
	}
	if before.precondition() != w.call.Action.Precondition {
		return effect{}, &faults.Fault{
			Class:  faults.Permanent,
			Code:   codePageChanged,
			Reason: fmt.Sprintf("page %s of repository %s changed after the plan was made; it needs a new plan", gitcli.Quote(w.page), w.repo.Name),
			Cause:  tools.ErrDrift,
		}
	}
	after := place{mode: cmp.Or(before.mode, modeFile), blob: w.blob}
	next, err := w.next(ctx, at, before, after)
	if err != nil {
		return effect{}, err
	}
	if err := w.call.Allowed(ctx); err != nil {
		return effect{}, err
	}
	return effect{next, before, after}, w.repo.refs.move(ctx, w.key, at, position{marker: next.id, head: next.id})
}

// next returns the commit to which both refs are to move: the head itself when
// the page is as wanted; the commit of a transaction that only set the marker,
// when it still follows the head; or a new commit.
func (w *write) next(ctx context.Context, at position, before, after place) (commit, error) {
	if before == after {
		return w.repo.commit(ctx, at.head)
	}
	if at.marker != "" {
		orphan, err := w.repo.commit(ctx, at.marker)
		if err != nil || orphan.wrote(w.key) && orphan.parent() == at.head {
			return orphan, err
		}
	}
	return w.repo.record(ctx, change{
		parent:  at.head,
		page:    w.page,
		mode:    after.mode,
		content: w.content,
		message: message(w.call, w.title, w.page),
	})
}

// earlier finds the effect of an earlier attempt on the branch: by its marker,
// or, when a crash kept the marker from being set or moved, by its trailer.
// Then the marker is set, so that the next one finds it at once; when that
// fails, or is not allowed any more, the effect is there all the same.
func (w *write) earlier(ctx context.Context, at position) (done effect, found bool, err error) {
	if at.marker != "" {
		if done, found, err = w.marked(ctx, at); err != nil || found {
			return done, found, err
		}
	}
	made, err := w.repo.commitsFor(ctx, at.head, w.key)
	if err != nil || len(made) == 0 {
		return effect{}, false, err
	}
	if done, err = w.verified(ctx, made[len(made)-1]); err != nil {
		return effect{}, false, err
	}
	if w.call.Allowed(ctx) == nil {
		_ = w.repo.refs.move(ctx, w.key, at, position{marker: done.id, head: at.head})
	}
	return done, true, nil
}

// marked finds the effect that the marker stands for. A marker that was only
// set, on a page that was as wanted, speaks for the plan that was made for that
// page; to a later plan, made for what the page became, it says nothing.
func (w *write) marked(ctx context.Context, at position) (done effect, found bool, err error) {
	c, err := w.repo.commit(ctx, at.marker)
	if err != nil {
		return effect{}, false, err
	}
	if done, err = w.verified(ctx, c); err != nil {
		return effect{}, false, err
	}
	if !c.wrote(w.key) && done.after.precondition() != w.call.Action.Precondition {
		return effect{}, false, nil
	}
	found, err = w.repo.contains(ctx, at.head, c.id)
	return done, found, err
}

// verified looks at a commit that stands for the key, and refuses it when it
// does not hold this content: the same key was used for two different effects.
func (w *write) verified(ctx context.Context, c commit) (effect, error) {
	after, err := w.repo.look(ctx, c.id, w.page)
	if err != nil {
		return effect{}, err
	}
	if after.blob != w.blob {
		return effect{}, permanent(codeKeyConflict, "the key %s stands for other content, in commit %.10s of repository %s", w.key, c.id, w.repo.Name)
	}
	done := effect{commit: c, before: after, after: after}
	// Only the work tree asks what was before, and does without if need be.
	if before, err := w.repo.look(ctx, c.parent(), w.page); err == nil {
		done.before = before
	}
	return done, nil
}

// receipt depends on the commit only, so every attempt returns the same one.
func (w *write) receipt(c commit) plan.Receipt {
	detail := fmt.Sprintf("%s written to branch %s in commit %.10s", w.page, w.repo.Branch, c.id)
	if !c.wrote(w.key) {
		detail = fmt.Sprintf("%s already was as wanted on branch %s in commit %.10s", w.page, w.repo.Branch, c.id)
	}
	return plan.Receipt{
		IdempotencyKey: w.key,
		Tool:           Name,
		Target:         w.call.Action.Target,
		Ref:            c.id,
		Detail:         detail,
		At:             c.at,
	}
}

// unread is the fault for what kept the refs, or what they lead to, from being
// read. After a step in doubt that is no refusal: the effect may be there. Only
// another effect of the same key in its place says that it is not.
func (w *write) unread(lost *lostError, err error) error {
	fault := asFault(err)
	switch {
	case lost == nil || fault.Code == codeKeyConflict:
		return fault
	case lost.verdict != nil:
		return lost.verdict
	case lost.doubt:
		return &faults.Fault{
			Class:  faults.Unknown,
			Code:   codeRefsUnknown,
			Reason: "git did not finish moving the refs of repository " + w.repo.Name + ", and what became of it could not be read: " + fault.Error(),
			Cause:  lost.cause,
		}
	default:
		return fault
	}
}
