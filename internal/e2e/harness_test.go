package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// patience is how long a test waits for something that must come. It bounds
// a hang; no test measures it.
const patience = 60 * time.Second

// site is one installation: a folder with notes and a knowledge base, a real
// Temporal development server, and the built programs.
type site struct {
	t      *testing.T
	dir    string
	server *devserver.Server
	env    []string
}

// newSite makes an installation with the given notes.
func newSite(t *testing.T, notes map[string]string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	for name, text := range notes {
		s.write(filepath.Join("notes", name), text)
	}
	s.write("policy.yaml", "label: test\napprovers: [bo.lin, cy.ma]\ndecide_within: 1h\ngrant_life: 1h\n")
	s.write("holdpoint.yaml", "sources: {notes: notes}\nrepositories: {kb: {path: kb}}\npolicy: policy.yaml\ndata: data\nlimits: {parallel_actions: 1}\n")
	s.server = startServer(t, filepath.Join(s.dir, "temporal.db"))
	s.env = programEnv(s.server, s.dir)
	return s
}

// weekOfNotes is a folder with one topic and two dated entries.
func weekOfNotes() map[string]string {
	return map[string]string{
		"billing.md": "# Billing\n\n## 2025-09-30\n\n- done: invoices carry the tax id\n- blocked: waiting for the bank's test account\n",
	}
}

func (s *site) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

func (s *site) write(name, text string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(text), 0o644))
}

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
	log, err := os.CreateTemp(s.dir, "worker-*.log")
	require.NoError(s.t, err)
	cmd := exec.Command(programs.worker, append([]string{"--config", s.path("holdpoint.yaml")}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, log, log
	require.NoError(s.t, cmd.Start())
	p := &proc{t: s.t, cmd: cmd, log: log.Name(), done: make(chan struct{})}
	go func() { _ = cmd.Wait(); log.Close(); close(p.done) }()
	s.t.Cleanup(func() { p.signal(syscall.SIGKILL); <-p.done })
	s.eventually("worker polls", func() bool { return strings.Contains(p.said(), "polls task queue") || p.over() })
	require.Contains(s.t, p.said(), "polls task queue")
	return p
}

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
	p.wait()
}

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

func (s *site) eventually(what string, ok func() bool) {
	s.t.Helper()
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(50 * time.Millisecond) {
		if ok() {
			return
		}
	}
	s.t.Fatalf("%s: not within %s", what, patience)
}

// output is what a program printed, and its exit code.
type output struct {
	out, err string
	code     int
}

func (s *site) run(program string, args ...string) output {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errOut bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("%s %v: %v", program, args, err)
	}
	return output{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
}

func (s *site) must(program string, args ...string) string {
	s.t.Helper()
	o := s.run(program, args...)
	require.Zero(s.t, o.code, "%s %v\n%s%s", filepath.Base(program), args, o.out, o.err)
	return o.out
}

func (s *site) starter(args ...string) string { s.t.Helper(); return s.must(programs.starter, args...) }
func (s *site) approver(args ...string) string {
	s.t.Helper()
	return s.must(programs.approver, args...)
}
func (s *site) temporal(args ...string) string {
	s.t.Helper()
	return s.must(programs.temporal, args...)
}
func (s *site) git(args ...string) string {
	s.t.Helper()
	return s.must("git", append([]string{"-C", s.path("kb")}, args...)...)
}

// start starts the default task under a business id and returns the run's id.
func (s *site) start(id string, args ...string) string {
	s.t.Helper()
	s.starter(append([]string{"start", "--goal", "weekly report", "--from", "notes", "--into", "kb",
		"--tenant", "tenant-a", "--id", id, "--requester", "ann.wu"}, args...)...)
	return "tenant-a/" + id
}

func (s *site) status(run string) workflows.Status {
	s.t.Helper()
	var status workflows.Status
	require.NoError(s.t, json.Unmarshal([]byte(s.starter("status", "-o", "json", run)), &status))
	return status
}

// await waits until a run has a status.
func (s *site) await(run string, want workflows.RunStatus) workflows.Status {
	s.t.Helper()
	var status workflows.Status
	s.eventually(run+" is "+string(want), func() bool {
		status = s.status(run)
		if status.Status != want && status.Status.Ended() {
			s.t.Fatalf("%s ended %s: %s", run, status.Status, status.Reason)
		}
		return status.Status == want
	})
	return status
}

// signal sends a decision by the plain temporal CLI.
func (s *site) signal(run, payload string) {
	s.t.Helper()
	s.temporal("workflow", "signal", "--workflow-id", run, "--name", "approval", "--input", payload)
}

func (s *site) approve(run, as string) {
	s.t.Helper()
	s.signal(run, decisionJSON("approve", s.status(run).PlanHash.String(), as))
}

func decisionJSON(decision, hash, approver string) string {
	raw, err := json.Marshal(map[string]string{"decision": decision, "plan_hash": hash, "approver": approver})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// commits counts at the target: the commits of the branch.
func (s *site) commits() int {
	s.t.Helper()
	if o := s.run("git", "-C", s.path("kb"), "rev-parse", "--verify", "-q", "main"); o.code != 0 {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(s.git("rev-list", "--count", "main")))
	require.NoError(s.t, err)
	return n
}

// effects counts at the target: the commits that carry a key.
func (s *site) effects(key string) int {
	s.t.Helper()
	if s.commits() == 0 {
		return 0
	}
	found := 0
	for _, line := range strings.Split(s.git("log", "main", "--format=%(trailers:key=Holdpoint-Key,valueonly,separator=%x2C)"), "\n") {
		if strings.TrimSpace(line) == key {
			found++
		}
	}
	return found
}

// step returns a row of the step table.
func step(s workflows.Status, name workflows.StepName) workflows.Step {
	for _, row := range s.Steps {
		if row.Name == name {
			return row
		}
	}
	return workflows.Step{}
}
