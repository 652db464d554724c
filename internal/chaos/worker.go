package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// worker is one of the campaign's workers: a place that always has a process,
// or is about to have one again.
type worker struct {
	program, dir string
	env, args    []string
	name         string

	mu      sync.Mutex
	flags   []string // of the next process
	process *process
	lives   int
	closed  bool
	ended   chan struct{} // closed when the place is given up
}

// process is one life of a worker.
type process struct {
	cmd  *exec.Cmd
	log  string
	done chan struct{}
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

func (w *worker) spawn(ctx context.Context) (*process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lives++
	log, err := os.Create(filepath.Join(w.dir, fmt.Sprintf("%s-%d.log", w.name, w.lives)))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), w.program, append(append([]string(nil), w.args...), w.flags...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, w.env, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	p := &process{cmd: cmd, log: log.Name(), done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // killed is how most of them end
		log.Close()
		close(p.done)
	}()
	w.process = p
	return p, nil
}

// ready waits for the worker's first line.
func (p *process) ready(ctx context.Context) error {
	for {
		said, err := os.ReadFile(p.log)
		if err != nil {
			return err
		}
		if bytes.Contains(said, []byte(" polls task queue ")) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.done:
			return fmt.Errorf("the worker did not start: %s", bytes.TrimSpace(said))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (w *worker) signal(s syscall.Signal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.process.cmd.Process.Signal(s) // ended already is fine
}

// kill is kill -9. It reports whether a process that had begun to work died of
// it.
func (w *worker) kill() bool {
	w.mu.Lock()
	p := w.process
	w.mu.Unlock()
	said, err := os.ReadFile(p.log)
	working := err == nil && bytes.Contains(said, []byte(" polls task queue "))
	if p.cmd.Process.Signal(syscall.SIGKILL) != nil {
		return false
	}
	<-p.done
	return working
}

// next sets the flags of the processes to come.
func (w *worker) next(flags ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flags = flags
}

func (w *worker) lived() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lives
}

func (w *worker) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.signal(syscall.SIGCONT)
	w.signal(syscall.SIGKILL)
	<-w.ended
}
