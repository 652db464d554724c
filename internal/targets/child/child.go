// Package child runs the servers of tests and rehearsals: each in a process group
// of its own, ended together with its children, and, on Linux, never outliving
// the process that started it. A server that looks after its own children is
// started alone.
package child

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// stopGrace is how long a program may take to end by itself.
const stopGrace = 20 * time.Second

// ErrKilled says that a program did not end by itself in time.
var ErrKilled = errors.New("it did not end in time and was killed")

// Process is a program that runs, or has ended. Its methods are safe for
// concurrent use.
type Process struct {
	child *os.Process
	alone bool          // signals are not for its group
	gone  chan struct{} // closed when it has ended
}

// Start starts cmd, whose output goes to files or nowhere.
func Start(cmd *exec.Cmd) (*Process, error) {
	return start(cmd, &Process{gone: make(chan struct{})}, syscall.SIGKILL)
}

// StartAlone is Start for a program that ends its children by itself, as a
// database server does: signals reach it alone, and what it leaves behind is left
// to it. orphaned is the signal that it gets, on Linux, when this process ends
// without ending it.
func StartAlone(cmd *exec.Cmd, orphaned syscall.Signal) (*Process, error) {
	return start(cmd, &Process{alone: true, gone: make(chan struct{})}, orphaned)
}

func start(cmd *exec.Cmd, p *Process, orphaned syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	setApart(cmd.SysProcAttr, orphaned)
	started := make(chan error, 1)
	go func() {
		// Linux tells a child of its parent's death when the thread that
		// started it ends, so that thread is kept until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		p.child = cmd.Process
		started <- err
		if err != nil {
			return
		}
		cmd.Wait() //nolint:errcheck // how it ended is in the program's own log
		// A child that it left behind would keep its port. Later the group's
		// number may be another one's.
		p.signal(syscall.SIGKILL) //nolint:errcheck // most often there is none
		close(p.gone)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Gone is closed when the program has ended.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Stop asks the program to end, kills it when it takes too long, and returns
// when it and its children are gone.
func (p *Process) Stop() error {
	if err := p.End(syscall.SIGTERM); !errors.Is(err, ErrKilled) {
		return err
	}
	return nil
}

// End is Stop with the signal by which the program ends. The error is ErrKilled
// when it took too long.
func (p *Process) End(by syscall.Signal) error {
	if !p.Running() {
		return nil
	}
	if err := p.signal(by); err != nil {
		return p.Kill() // a system without that signal
	}
	select {
	case <-p.gone:
		return nil
	case <-time.After(stopGrace):
	}
	if err := p.Kill(); err != nil {
		return err
	}
	return ErrKilled
}

// Kill ends the program and its children as kill -9 does, and returns when
// they are gone.
func (p *Process) Kill() error {
	if !p.Running() {
		return nil
	}
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.gone
	return nil
}

// Running reports whether the program has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// signal reaches one that is gone without an error.
func (p *Process) signal(s syscall.Signal) error {
	if !p.alone {
		return p.signalGroup(s)
	}
	return p.signalAlone(s)
}

func (p *Process) signalAlone(s syscall.Signal) error {
	if err := p.child.Signal(s); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
