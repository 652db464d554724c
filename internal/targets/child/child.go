// Package child runs the programs of rehearsal targets: each in a process group
// of its own, ended together with its children, and, on Linux, never outliving
// the process that started it.
package child

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// stopGrace is how long a program may take to end by itself.
const stopGrace = 15 * time.Second

// Process is a program that runs, or has ended. Its methods are safe for
// concurrent use.
type Process struct {
	child *os.Process
	gone  chan struct{} // closed when it has ended
}

// Start starts cmd, whose output goes to files or nowhere. It sets SysProcAttr.
func Start(cmd *exec.Cmd) (*Process, error) {
	cmd.SysProcAttr = attributes()
	p := &Process{gone: make(chan struct{})}
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
	if !p.running() {
		return nil
	}
	if err := p.signal(syscall.SIGTERM); err != nil {
		return p.Kill() // a system without SIGTERM
	}
	select {
	case <-p.gone:
		return nil
	case <-time.After(stopGrace):
		return p.Kill()
	}
}

// Kill ends the program and its children as kill -9 does, and returns when
// they are gone.
func (p *Process) Kill() error {
	if !p.running() {
		return nil
	}
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.gone
	return nil
}

func (p *Process) running() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}
