package e2e

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// proc is a worker process.
type proc struct {
	t    *testing.T
	cmd  *exec.Cmd
	log  string
	done chan struct{}
}

// worker starts a worker and waits until it polls.
func (s *site) worker(args ...string) *proc {
	s.t.Helper()
	return s.workerOf(programs.worker, args...)
}

// workerOf starts a worker of another build.
func (s *site) workerOf(program string, args ...string) *proc {
	s.t.Helper()
	log, err := os.CreateTemp(s.dir, "worker-*.log")
	require.NoError(s.t, err)
	cmd := exec.Command(program, append([]string{"--config", s.path("holdpoint.yaml")}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, log, log
	if s.user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: s.user, Gid: s.user}}
	}
	require.NoError(s.t, cmd.Start())
	p := &proc{t: s.t, cmd: cmd, log: log.Name(), done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is asked for with wait
		log.Close()
		close(p.done)
	}()
	s.t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.done
		if s.t.Failed() {
			s.t.Logf("worker %d said:\n%s", cmd.Process.Pid, p.said())
		}
	})
	s.eventually("worker polls", func() bool { return strings.Contains(p.said(), "polls task queue") || p.over() })
	require.Contains(s.t, p.said(), "polls task queue")
	return p
}

// said is all that the worker has printed.
func (p *proc) said() string {
	said, err := os.ReadFile(p.log)
	require.NoError(p.t, err)
	return string(said)
}

func (p *proc) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *proc) signal(sig syscall.Signal) {
	if err := p.cmd.Process.Signal(sig); err != nil {
		require.ErrorIs(p.t, err, os.ErrProcessDone)
	}
}

// kill is kill -9.
func (p *proc) kill() {
	p.signal(syscall.SIGKILL)
	p.wait()
}

// stop is what a deploy does.
func (p *proc) stop() {
	p.signal(syscall.SIGTERM)
	require.Zero(p.t, p.wait(), "a worker that is told to stop ends in good order")
}

// goOn wakes a worker that stands still.
func (p *proc) goOn() { p.signal(syscall.SIGCONT) }

// wait returns the exit code, -1 for a signal.
func (p *proc) wait() int {
	p.t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatalf("worker still runs; it said:\n%s", p.said())
		return 0
	}
}

// stopped waits until the worker stands still at its drill point.
func (s *site) stopped(p *proc) {
	s.t.Helper()
	s.eventually("worker stops at its drill point", func() bool {
		state, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/stat")
		if err != nil {
			return false
		}
		_, rest, _ := strings.Cut(string(state), ") ")
		return strings.HasPrefix(rest, "T")
	})
}
