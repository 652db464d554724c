package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/sshkeys"
)

// desk is where a word is read, signed and sent: all that this needs of the
// world outside, so that a test can stand in for it.
type desk struct {
	read func(ctx context.Context, runID string) (*runs.Run, error)
	load func(ctx context.Context, run *runs.Run) (plan.Plan, error)
	send func(ctx context.Context, run *runs.Run, m message) error
	keys keychain
	in   io.Reader
	out  io.Writer // for people; nothing is said to programs before the verdict
}

func (s *session) desk(c client.Client, reader runs.Reader, in io.Reader, out io.Writer) desk {
	d := desk{
		read: reader.Read, load: s.plan, keys: keychain{sshkeys.New(), time.Now}, in: in, out: out,
		send: func(ctx context.Context, run *runs.Run, m message) error { return s.send(ctx, c, run, m, out) },
	}
	if s.JSON() {
		d.out = io.Discard
	}
	return d
}

// open reads a run that can still be told something.
func (d desk) open(ctx context.Context, runID string) (*runs.Run, error) {
	run, err := d.read(ctx, runID)
	if err != nil {
		return nil, err
	}
	if run.Closed {
		return nil, fmt.Errorf("%s is %s: nothing can be said about it any more", run.ID, strings.ToLower(string(run.Status.Status)))
	}
	return run, nil
}

// showStatement shows what will be signed, or that nothing will be; and first of
// all, when the policy does not let this person say it, that it does not.
func (d desk) showStatement(w word, by *signer) {
	if w.refused != "" {
		fmt.Fprintf(d.out, "\nthis will be refused, and stand on record as refused: %s\n", plan.Show(w.refused))
		if w.mayBeOutdated() {
			fmt.Fprintf(d.out, "That is by the policy %s as the run has heard of it; %s\n", plan.Show(w.terms.Label), hearsOfToday)
		}
	}
	switch {
	case by == nil && w.refused != "":
		fmt.Fprint(d.out, "nothing is signed\n")
	case by == nil:
		fmt.Fprintf(d.out, "\nnothing is signed: the policy %s takes the name %s alone\n", plan.Show(w.terms.Label), w.speaker)
	default:
		fmt.Fprintf(d.out, "\n%s signs this statement %s:\n\n%s\n", w.speaker, plan.Show(by.how), plan.OnScreen(string(w.statement)))
		if by.note != "" {
			fmt.Fprintf(d.out, "note: %s\n", plan.Show(by.note))
		}
	}
	if w.text != "" {
		fmt.Fprintf(d.out, "text: %s\n", plan.Show(w.text))
	}
}

// ask wants a clear yes. It does not wait for the answer when ctx ends.
func (d desk) ask(ctx context.Context, question string) error {
	fmt.Fprintf(d.out, "\n%s [yes/no] ", question)
	answer := make(chan string, 1)
	go func() { answer <- firstLine(d.in) }()
	select {
	case <-ctx.Done():
		return fmt.Errorf("nothing was sent: %w", ctx.Err())
	case line := <-answer:
		switch {
		case line == "":
			return errors.New("no answer; nothing was sent (--plan-hash or --yes decides without asking)")
		case strings.TrimSpace(strings.ToLower(line)) != "yes":
			return errors.New("nothing was sent")
		}
		return nil
	}
}

// firstLine reads up to the first newline and not beyond: what follows may be
// another's to read.
func firstLine(in io.Reader) string {
	const limit = 64 // a yes with blanks around it
	var line []byte
	for one := make([]byte, 1); len(line) < limit; {
		n, err := in.Read(one)
		line = append(line, one[:n]...)
		if err != nil || n > 0 && one[0] == '\n' {
			break
		}
	}
	return string(line)
}

// deliver signs what was shown and sends it, unless the run asks for something
// else by now.
func (d desk) deliver(ctx context.Context, shown *runs.Run, said words, w word, by *signer) error {
	armored := ""
	if by != nil {
		var err error
		if armored, err = by.sign(ctx, w.statement); err != nil {
			return fmt.Errorf("nothing was sent: %w", err)
		}
	}
	run, err := d.open(ctx, shown.ID)
	if err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	now, err := said.about(run)
	if err != nil {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	if !bytes.Equal(now.statement, w.statement) {
		return fmt.Errorf("nothing was sent: the run asks for something else by now. Shown was %s; it is %s now. Look at it again: approver show %s",
			bound(shown), bound(run), shown.ID)
	}
	payload, err := w.payload(armored)
	if err != nil {
		return err
	}
	return d.send(ctx, run, message{w.name, payload})
}

// decide shows the plan and what is signed, asks, and sends.
func (d desk) decide(ctx context.Context, runID string, say decision, quiet bool) error {
	run, err := d.open(ctx, runID)
	if err != nil {
		return err
	}
	w, err := say.about(run)
	if err != nil {
		return err
	}
	if say.planHash != "" && say.planHash != run.Status.PlanHash.String() {
		return fmt.Errorf("the plan of %s is now %s, not %s: look at it again", run.ID, run.Status.PlanHash, say.planHash)
	}
	if quiet && say.planHash == "" && !say.yes {
		return cli.Usagef("-o json cannot ask: give --plan-hash or --yes")
	}
	if say.planHash == "" {
		p, err := d.load(ctx, run)
		if err != nil {
			return err
		}
		if err := show(d.out, run, p); err != nil {
			return err
		}
	}
	by, err := d.keys.signer(ctx, w, say.proof)
	if err != nil {
		return err
	}
	d.showStatement(w, by)
	if say.planHash == "" && !say.yes {
		if err := d.ask(ctx, say.question(w.speaker)); err != nil {
			return err
		}
	}
	return d.deliver(ctx, run, say, w, by)
}

func (d decision) question(speaker string) string {
	what := "this plan"
	if d.action != "" {
		what = "action " + plan.Show(d.action) + " of this plan"
	}
	return fmt.Sprintf("%s %s as %s?", d.choice, what, speaker)
}

// resolve shows what is signed, and sends.
func (d desk) resolve(ctx context.Context, runID string, say finding, proof proofFlags) error {
	run, err := d.open(ctx, runID)
	if err != nil {
		return err
	}
	w, err := say.about(run)
	if err != nil {
		return err
	}
	by, err := d.keys.signer(ctx, w, proof)
	if err != nil {
		return err
	}
	d.showStatement(w, by)
	return d.deliver(ctx, run, say, w, by)
}
