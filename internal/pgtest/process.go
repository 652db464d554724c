package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// stopGrace is how long a server may take to end after a signal.
const stopGrace = 20 * time.Second

// process is a running postmaster.
type process struct {
	child *os.Process
	gone  chan struct{} // closed when the child has ended
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{gone: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// Linux tells a child of its parent's death when the thread that
		// started it ends, so that thread is kept until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		dieWithParent(cmd.SysProcAttr)
		err := cmd.Start()
		p.child = cmd.Process
		started <- err
		if err != nil {
			return
		}
		cmd.Wait() //nolint:errcheck // how it ended is in the server's log
		close(p.gone)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// end sends the signal and returns when the child is gone; a child that takes
// too long is killed.
func (p *process) end(signal os.Signal) error {
	if err := p.child.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.gone:
		return nil
	case <-time.After(stopGrace):
	}
	if err := p.child.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.gone
	return errors.New("the postmaster did not end and was killed")
}

func (p *process) running() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// immediate is PostgreSQL's signal for a shutdown without clean-up: the next
// start recovers from the log.
const immediate = syscall.SIGQUIT
