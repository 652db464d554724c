package main

import (
	"context"
	"io"
	"time"

	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// How often a watcher looks: soon after something happened, and more and more
// seldom while nothing does.
const (
	soonest = 200 * time.Millisecond
	latest  = time.Second
)

// watcher prints what changed since it last looked.
type watcher struct {
	read  func(ctx context.Context, runID string) (*runs.Run, error)
	out   io.Writer
	until workflows.RunStatus
	wait  func(time.Duration) <-chan time.Time
	json  bool

	shown  map[string]bool
	waited time.Duration // since progress was last shown
}

// watch follows a run to its end, or to the status that was asked for. A
// server that does not answer for a while does not end it.
func (w *watcher) watch(ctx context.Context, runID string) error {
	w.shown = map[string]bool{}
	every := soonest
	for {
		known := len(w.shown)
		run, err := w.read(ctx, runID)
		switch {
		case err == nil:
			if over, err := w.look(run); over || err != nil {
				return err
			}
		case ctx.Err() == nil && runs.Transient(err):
			w.line("the server does not answer; still trying")
		default:
			return err
		}
		if len(w.shown) > known {
			every = soonest
		} else {
			every = min(every*3/2, latest)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.wait(every):
			w.waited += every
		}
	}
}

// look shows a run and reports whether there is nothing more to watch.
func (w *watcher) look(run *runs.Run) (over bool, err error) {
	w.show(run)
	status := run.Status.Status
	if status != w.until && !run.Closed {
		return false, nil
	}
	if w.json {
		if err := cli.PrintJSON(w.out, statusJSON(run)); err != nil {
			return true, err
		}
	}
	if status != w.until && status != workflows.Completed {
		return true, errEnded(run)
	}
	return true, nil
}
