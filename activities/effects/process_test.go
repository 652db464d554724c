package effects_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// workerVariable makes this test binary a worker process, told by the
// variable's value what to do.
const workerVariable = "HOLDPOINT_TEST_WORKER"

func TestMain(m *testing.M) {
	if text := os.Getenv(workerVariable); text != "" {
		var w worker
		err := json.Unmarshal([]byte(text), &w)
		if err == nil {
			err = w.work()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// worker is a process that carries out the action of these tests on a folder.
type worker struct {
	Ledger  string // the ledger's file
	Folder  string // the target
	Name    string
	PauseAt effects.Point // wait there for a line of input
	ExitAt  effects.Point // end there, as a crash does
	Retry   bool          // make further attempts while another one is at work
	Items   int           // the action writes so many items; 0: a folder's one effect
}

// beforeWrite is a point of the folder tool: after the protocol's last check,
// before the tool's first write.
const beforeWrite effects.Point = "before_write"

// exitCode is the crash drill's.
const exitCode = 75

// report is what a worker tells on its last line.
type report struct {
	Outcome         effects.Outcome
	Code            string // of the fault; empty when there is none
	CompleteRefused bool   // the ledger refused the receipt: not held
}

func (w worker) work() error {
	ctx := context.Background()
	ledger, err := sqlite.Open(ctx, w.Ledger)
	if err != nil {
		return err
	}
	defer ledger.Close()
	var tool tools.Tool = &folder{dir: w.Folder, before: func() { w.reached(beforeWrite) }}
	if w.Items > 0 {
		tool = &items{dir: w.Folder, count: w.Items, writer: w.Name, after: func(i int) { w.reached(afterItem(i)) }}
	}
	spy := &completeSpy{Ledger: ledger}
	protocol := &effects.Protocol{
		Ledger: spy, Owner: w.Name, Lease: 300 * time.Millisecond, Reached: w.reached,
	}
	for attempt := 1; ; attempt++ {
		out, err := protocol.Run(ctx, tool, theCall(), attempt, "acme")
		if w.Retry && faults.ClassOf(err) == faults.InProgress {
			time.Sleep(faults.Name(err).RetryAfter)
			continue
		}
		r := report{Outcome: out, CompleteRefused: spy.refused}
		if err != nil {
			r.Code = faults.Name(err).Code
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	}
}

func (w worker) reached(p effects.Point) {
	if p == w.ExitAt {
		os.Exit(exitCode)
	}
	if p == w.PauseAt {
		fmt.Println("paused")
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			panic(err)
		}
	}
}

type completeSpy struct {
	effects.Ledger
	refused bool
}

func (s *completeSpy) Complete(ctx context.Context, key string, token int64, r plan.Receipt) error {
	err := s.Ledger.Complete(ctx, key, token, r)
	s.refused = s.refused || errors.Is(err, effects.ErrNotHeld)
	return err
}

// process is a running worker, as the test sees it.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Scanner
}

func start(t *testing.T, w worker) *process {
	t.Helper()
	text, err := json.Marshal(w)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), workerVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &process{t: t, cmd: cmd, in: in, out: bufio.NewScanner(out)}
}

func (p *process) waitUntilPaused() {
	p.t.Helper()
	require.True(p.t, p.out.Scan())
	require.Equal(p.t, "paused", p.out.Text())
}

func (p *process) goOn() {
	p.t.Helper()
	_, err := io.WriteString(p.in, "go\n")
	require.NoError(p.t, err)
}

// suspend returns when the process has really stopped.
func (p *process) suspend() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(p.t, err)
	require.True(p.t, status.Stopped())
}

func (p *process) resume() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGCONT))
}

func (p *process) report() report {
	p.t.Helper()
	require.True(p.t, p.out.Scan(), "a last line")
	var r report
	require.NoError(p.t, json.Unmarshal(p.out.Bytes(), &r))
	require.NoError(p.t, p.cmd.Wait())
	return r
}

func (p *process) crash() {
	p.t.Helper()
	require.False(p.t, p.out.Scan())
	require.Error(p.t, p.cmd.Wait())
	require.Equal(p.t, exitCode, p.cmd.ProcessState.ExitCode())
}
