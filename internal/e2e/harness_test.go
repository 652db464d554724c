package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/temporalclient"
	"github.com/holdpoint/holdpoint/workflows"
)

// patience is how long a test waits for something that must come. It bounds
// a hang; no test measures it.
const patience = 2 * time.Minute

// site is one installation: a folder with notes and a knowledge base, its own
// task queue and tenant on a real Temporal development server, and the built
// programs.
type site struct {
	t      *testing.T
	dir    string
	name   string // of the task queue and of the tenant
	server *devserver.Server
	env    []string
	reader runs.Reader
	user   uint32 // whose rights the workers have; 0 is this process's own
}

// sites counts the sites, for their names.
var sites atomic.Int32

// newSite makes an installation with the given notes on the shared server.
func newSite(t *testing.T, notes map[string]string) *site {
	t.Helper()
	need(t)
	return newSiteOn(t, shared.Server(t), notes)
}

// newSiteOn makes an installation on a server of its own.
func newSiteOn(t *testing.T, server *devserver.Server, notes map[string]string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), name: fmt.Sprintf("site-%d", sites.Add(1)), server: server}
	s.env = programEnv(server, s.dir)
	s.mkdir("notes")
	for name, text := range notes {
		s.write(filepath.Join("notes", name), text)
	}
	s.policy("decide_within: 1h")
	s.configure("")
	c, err := client.NewLazyClient(client.Options{HostPort: server.Address(), Logger: temporalclient.Logger(zap.NewNop())})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s.reader = runs.Reader{Client: c, Namespace: client.DefaultNamespace}
	return s
}

// configure writes the worker's configuration, with further lines.
func (s *site) configure(more string) {
	s.t.Helper()
	s.write("holdpoint.yaml", "task_queue: "+s.name+"\nsources: {notes: notes}\nrepositories: {kb: {path: kb}}\n"+
		"policy: policy.yaml\ndata: data\nlimits: {parallel_actions: 1}\n"+more)
}

// policy writes the approval policy with one line about its periods.
func (s *site) policy(decideWithin string) {
	s.t.Helper()
	s.write("policy.yaml", "label: test\napprovers: [bo.lin, cy.ma]\ngrant_life: 1h\n"+decideWithin+"\n")
}

// weekOfNotes is a folder with one topic and two dated entries: a plan of
// three pages, the weekly report, the topic, and the index after both.
func weekOfNotes() map[string]string {
	return map[string]string{
		"billing.md": "# Billing\n\n## 2025-09-30\n\n- done: invoices carry the tax id\n- blocked: waiting for the bank's test account\n",
	}
}

// pagesOfAWeek is how many actions a plan for weekOfNotes has.
const pagesOfAWeek = 3

// shortDeadline is for tests that wait for it: short, and long enough for the
// few programs that they run before.
const shortDeadline = "decide_within: 12s"

// grantLife is how long an approval holds, by the policy of every site.
const grantLife = time.Hour

func (s *site) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

func (s *site) mkdir(name string) {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(s.path(name), 0o755))
}

func (s *site) write(name, text string) {
	s.t.Helper()
	s.mkdir(filepath.Dir(name))
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(text), 0o644))
}

// eventually waits for a condition. It looks often at first and then less, since
// most looks are a query, which costs the worker and the server more than a test.
func (s *site) eventually(what string, ok func() bool) {
	s.t.Helper()
	pause := 30 * time.Millisecond
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(pause) {
		if ok() {
			return
		}
		pause = min(pause*3/2, 250*time.Millisecond)
	}
	s.t.Fatalf("%s: not within %s", what, patience)
}

// output is what a program printed, and its exit code.
type output struct {
	out, err string
	code     int
}

// run runs a program to its end.
func (s *site) run(program string, args ...string) output {
	s.t.Helper()
	o, err := s.try(program, args...)
	require.NoError(s.t, err, "%s %v", program, args)
	return o
}

// try is run for tests' own goroutines, which must not end the test.
func (s *site) try(program string, args ...string) (output, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errOut bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return output{}, err
	}
	return output{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}, nil
}

// must runs a program that has to succeed and returns what it printed.
func (s *site) must(program string, args ...string) string {
	s.t.Helper()
	o := s.run(program, args...)
	require.Zero(s.t, o.code, "%s %v\n%s%s", filepath.Base(program), args, o.out, o.err)
	return o.out
}

// fails runs a program that has to fail with that exit code and returns what
// it complained about.
func (s *site) fails(code int, program string, args ...string) string {
	s.t.Helper()
	o := s.run(program, args...)
	require.Equal(s.t, code, o.code, "%s %v\n%s%s", filepath.Base(program), args, o.out, o.err)
	return o.err
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

// startArgs are the arguments that start the default task under a business id.
func (s *site) startArgs(id string, more ...string) []string {
	return append([]string{"start", "--goal", "weekly report", "--from", "notes", "--into", "kb",
		"--tenant", s.name, "--id", id, "--requester", "ann.wu", "-t", s.name}, more...)
}

// start starts the default task and returns the run's id.
func (s *site) start(id string, more ...string) string {
	s.t.Helper()
	s.starter(s.startArgs(id, more...)...)
	return s.name + "/" + id
}

// startToGate starts the default task and waits for its plan.
func (s *site) startToGate(id string, more ...string) (run string, gate workflows.Status) {
	s.t.Helper()
	run = s.start(id, more...)
	return run, s.await(run, workflows.WaitingApproval)
}
