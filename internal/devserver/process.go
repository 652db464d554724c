package devserver

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// stopGrace is how long a server may take to end by itself: on a busy machine
// it needs about 3 seconds.
const stopGrace = 15 * time.Second

// process is a child in a process group of its own, so that a Ctrl-C in the
// terminal reaches this process alone, which then stops its children in order.
type process struct {
	child *os.Process
	gone  chan struct{} // closed when the child has ended and err is set
	err   error         // how it ended; nil means with exit code 0
}

// startProcess starts the program with its output going to log. The child also
// holds the files in held open for as long as it lives.
func startProcess(path string, args []string, log *os.File, held ...*os.File) (*process, error) {
	cmd := exec.Command(path, args...) //nolint:noctx // it lives until it is stopped, not as long as a context
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = held
	cmd.SysProcAttr = childAttributes()
	p := &process{gone: make(chan struct{})}
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
		p.err = cmd.Wait()
		close(p.gone)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// terminate asks the child to end, kills it when it does not, and returns when
// it is gone.
func (p *process) terminate() error {
	if err := p.child.Signal(syscall.SIGTERM); err != nil {
		return p.kill() // gone already, or a system without SIGTERM
	}
	select {
	case <-p.gone:
		return nil
	case <-time.After(stopGrace):
		return p.kill()
	}
}

// kill ends the child at once and returns when it is gone.
func (p *process) kill() error {
	if err := p.child.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.gone
	return nil
}
