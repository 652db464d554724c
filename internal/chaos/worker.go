package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// worker is one of the campaign's workers: a place that always has a process,
// or is about to have one again.
type worker struct {
	program, dir string
	env          []string
	name         string
	crashes      atomic.Int64 // processes that ended as a Go program does that panicked

	mu      sync.Mutex
	config  string   // of the next process
	flags   []string // of the next process
	process *process
	lives   int
	closed  bool
	ended   chan struct{} // closed when the place is given up
}

// process is one life of a worker.
type process struct {
	cmd    *exec.Cmd
	config string
	flags  []string
	log    string
	done   chan struct{}
}

// start gives the place its first process. Whatever ends a process, the next
// one follows until the place is closed.
func (w *worker) start(ctx context.Context) error {
	w.ended = make(chan struct{})
	first, err := w.spawn(ctx)
	if err != nil {
		return err
	}
	go w.keep(ctx, first)
	return first.ready(ctx)
}

func (w *worker) keep(ctx context.Context, p *process) {
	defer close(w.ended)
	for {
		<-p.done
		if p.cmd.ProcessState.ExitCode() == panicked {
			w.crashes.Add(1)
		}
		w.mu.Lock()
		closed := w.closed
		w.mu.Unlock()
		if closed {
			return
		}
		next, err := w.spawn(ctx)
		if err != nil {
			return // the machine has no processes left: the runs will not end, and the campaign says so
		}
		p = next
	}
}

// panicked is the exit code of a Go program after a panic.
const panicked = 2

func (w *worker) spawn(ctx context.Context) (*process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lives++
	log, err := os.Create(filepath.Join(w.dir, fmt.Sprintf("%s-%d.log", w.name, w.lives)))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), w.program, append([]string{"--config", w.config}, w.flags...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, w.env, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	p := &process{cmd: cmd, config: w.config, flags: w.flags, log: log.Name(), done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // killed is how most of them end
		log.Close()
		close(p.done)
	}()
	w.process = p
	return p, nil
}

// said reports whether the process has printed a text.
func (p *process) said(text string) bool {
	all, err := os.ReadFile(p.log)
	return err == nil && bytes.Contains(all, []byte(text))
}

// polls is in the first line of a worker that has begun to work.
const polls = " polls task queue "

// ready waits for the worker's first line.
func (p *process) ready(ctx context.Context) error {
	for !p.said(polls) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.done:
			said, _ := os.ReadFile(p.log)
			return fmt.Errorf("the worker did not start: %s", bytes.TrimSpace(said))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// arm lets the worker's next process stop at a drill point, and reports whether
// the present one would not.
func (w *worker) arm(point string) bool {
	w.next("--stop-at", point)
	return !slices.Equal(w.now().flags, []string{"--stop-at", point})
}

func (w *worker) disarm() { w.next() }

// stands waits for so long at most until the worker's process stands still at
// a drill point, and reports whether it does.
func (w *worker) stands(ctx context.Context, point string, most time.Duration) bool {
	return until(ctx, most, func() bool {
		p := w.now()
		return !p.over() && p.said("drill: "+point+" reached, stopped")
	})
}

func (p *process) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (w *worker) now() *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.process
}

// pause stops the process as a long pause of the machine would; goOn ends that.
func (w *worker) pause() { w.signal(syscall.SIGSTOP) }
func (w *worker) goOn()  { w.signal(syscall.SIGCONT) }

func (w *worker) signal(s syscall.Signal) {
	_ = w.now().cmd.Process.Signal(s) // ended already is fine
}

// kill is kill -9. It reports whether a process that had begun to work died of
// it, as its wait status says.
func (w *worker) kill() bool {
	p := w.now()
	working := p.said(polls)
	if p.cmd.Process.Signal(syscall.SIGKILL) != nil {
		return false
	}
	<-p.done
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return working && ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// next sets the flags of the processes to come.
func (w *worker) next(flags ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flags = flags
}

// configure gives the worker a process with this configuration and these flags,
// unless it has one, and waits until it works.
func (w *worker) configure(ctx context.Context, config string, flags ...string) error {
	w.mu.Lock()
	w.config, w.flags = config, flags
	before := w.process
	w.mu.Unlock()
	if before.config == config && slices.Equal(before.flags, flags) {
		w.goOn()
		return nil
	}
	w.kill()
	for w.now() == before {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return w.now().ready(ctx)
}

func (w *worker) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.goOn()
	w.signal(syscall.SIGKILL)
	<-w.ended
}
