package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/workflows"
)

// Two tabs, or a client that repeats a start whose answer it did not see.
func TestC021_TheSameBusinessIDTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.mkdir("notes/other")
	answers := s.atOnce(
		s.startArgs("weekly-2025-w40"),
		s.startArgs("weekly-2025-w40"),
	)
	run := s.name + "/weekly-2025-w40"
	started := 0
	for _, a := range answers {
		require.Zero(t, a.code, a.err)
		require.Contains(t, a.out, run, "both get the same id")
		if strings.HasPrefix(a.out, "started ") {
			started++
		}
	}
	require.Equal(t, 1, started, "one run: %v", answers)
	other := s.startArgs("weekly-2025-w40", "--from", "notes/other")
	require.Contains(t, s.fails(1, programs.starter, other...), "already started with other input")

	s.worker()
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)

	third := s.starter(s.startArgs("weekly-2025-w40")...)
	require.Contains(t, third, "completed already")
	for _, a := range done.Actions {
		require.Contains(t, third, a.Ref, "the receipts of before")
	}
	require.Contains(t, s.fails(1, programs.starter, other...), "already started with other input")
	s.oneEffectEach(done)
}

// atOnce runs starters at the same moment.
func (s *site) atOnce(commands ...[]string) []output {
	s.t.Helper()
	answers, failures := make([]output, len(commands)), make([]error, len(commands))
	var all sync.WaitGroup
	for i, args := range commands {
		all.Go(func() { answers[i], failures[i] = s.try(programs.starter, args...) })
	}
	all.Wait()
	for _, err := range failures {
		require.NoError(s.t, err)
	}
	return answers
}

// After an end without completion, starting once more is a decision of its own.
func TestStartAgain(t *testing.T) {
	t.Parallel()
	ends := []struct {
		status workflows.RunStatus
		from   string
		reach  func(s *site, run string)
	}{
		{workflows.Rejected, "notes", func(s *site, run string) {
			s.await(run, workflows.WaitingApproval)
			s.approver("reject", run, "--as", "cy.ma", "--yes")
		}},
		{workflows.Canceled, "notes", func(s *site, run string) {
			s.await(run, workflows.WaitingApproval)
			s.starter("cancel", run)
		}},
		{workflows.Failed, "notes/later", func(*site, string) {}}, // there is no such folder
	}
	s := newSite(t, weekOfNotes())
	s.worker()
	for _, end := range ends {
		id := strings.ToLower(string(end.status))
		args := s.startArgs(id, "--from", end.from)
		s.starter(args...)
		end.reach(s, s.name+"/"+id)
		s.await(s.name+"/"+id, end.status)

		refused := s.fails(1, programs.starter, args...)
		require.Contains(t, refused, string(end.status))
		require.Contains(t, refused, "--again")
	}
	s.noEffects()

	s.write("notes/later/billing.md", weekOfNotes()["billing.md"])
	for _, end := range ends {
		id := strings.ToLower(string(end.status))
		args := s.startArgs(id, "--from", end.from, "--again")
		require.Contains(t, s.starter(args...), "started "+s.name+"/"+id)
		s.await(s.name+"/"+id, workflows.WaitingApproval)
	}
	run := s.name + "/rejected"
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.Contains(t, s.starter(s.startArgs("rejected", "--again")...), "completed already",
		"--again repeats no completed run")
}

func TestStartAgainAfterExpiry(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.policy("decide_within: 1s")
	w := s.worker()
	run := s.start("weekly-2025-w40")
	s.await(run, workflows.Expired)
	w.stop()
	require.Contains(t, s.fails(1, programs.starter, s.startArgs("weekly-2025-w40")...), "--again")

	s.policy("decide_within: 1h")
	s.worker()
	s.start("weekly-2025-w40", "--again")
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
}

func TestStartByThePlainTemporalCLI(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run := s.plainStart(s.name+"/x", s.task("x"))
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.Contains(t, s.starter(s.startArgs("x")...), "completed already", "starter finds that the input is equal")
}

// A run of one tenant cannot take the id, and so the name, of another's.
func TestWorkflowIDOfAnotherTenantIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run := s.plainStart("other-"+s.name+"/x", s.task("x"))
	failed := s.await(run, workflows.Failed)
	require.Contains(t, failed.Reason, "must begin with the task's tenant")
	require.Zero(t, scheduled(s.history(run), workflows.CollectContext))
}

// Nor can there be a second run of a business id under another workflow ID.
func TestWorkflowIDOfAnotherBusinessIDIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run := s.plainStart(s.name+"/x-once-more", s.task("x"))
	failed := s.await(run, workflows.Failed)
	require.Contains(t, failed.Reason, `must be that of the task's tenant and business id, of which there is one run: "`+s.name+`/x"`)
	require.Zero(t, scheduled(s.history(run), workflows.CollectContext))
	s.must(programs.worker, "replay", s.saveHistory(run))
}

// Whoever names a task queue wants its workers, and a run keeps the queue that
// it was started on.
func TestStartAttachesOnTheRunsTaskQueue(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	run := s.start("x")
	said := s.fails(1, programs.starter, s.startArgs("x", "-t", "elsewhere")...)
	require.Contains(t, said, "run "+run+" is there already, on task queue "+s.name+" and not on elsewhere")

	unnamed := s.startArgs("x")
	said = s.starter(unnamed[:len(unnamed)-2]...) // without -t
	require.Contains(t, said, "attached to "+run)
	require.Contains(t, said, "it is on task queue "+s.name+", where it was started, and not on holdpoint")
	require.Contains(t, said, "no worker polls task queue "+s.name+" yet; start one with 'worker --config FILE -t "+s.name+"'")

	said = s.starter(unnamed...)
	require.NotContains(t, said, "where it was started")
	require.Contains(t, said, "no worker polls task queue "+s.name)
	s.starter("cancel", run)
}

// A memo is what whoever started the run says of it. A start attaches to a run by
// the task that the run has.
func TestStartAttachesByTheTaskNotByTheMemo(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	honest := s.task("x")
	sum, err := honest.WithDefaults().Digest()
	require.NoError(t, err)
	other := honest
	other.Goal = "delete everything"
	_, err = s.reader.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: s.name + "/x", TaskQueue: s.name, Memo: map[string]any{workflows.TaskDigestMemo: sum.String()},
	}, workflows.WorkflowType, other)
	require.NoError(t, err)
	require.Contains(t, s.fails(1, programs.starter, s.startArgs("x")...), "was already started with other input")
	s.starter("cancel", s.name+"/x")
}

// A retry policy on the whole workflow is a retry on the wrong level: the run
// fails once, and what it did stays done.
func TestC019_RetryOfTheWholeWorkflow(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run := s.name + "/x"
	_, err := s.reader.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: run, TaskQueue: s.name, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 5},
	}, workflows.WorkflowType, s.task("x"))
	require.NoError(t, err)
	s.await(run, workflows.WaitingApproval)
	s.breakTopics()
	s.approve(run, "bo.lin")

	failed := s.await(run, workflows.Failed)
	require.Contains(t, failed.Reason, "topic-billing", "the state names the action that failed")
	events := s.history(run)
	require.Empty(t, events[len(events)-1].GetWorkflowExecutionFailedEventAttributes().GetNewExecutionRunId())
	first := failed.Actions[0]
	require.Equal(t, []string{first.Key}, s.keys())

	s.mendTopics()
	s.start("x", "--again")
	again := s.await(run, workflows.WaitingApproval)
	require.Equal(t, first.Key, again.Actions[0].Key, "the key holds no run id and no attempt")
	require.True(t, again.Actions[0].Already)
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
}

// breakTopics puts a link in the place of the folder that topic pages belong
// to, so that their action is refused for good.
func (s *site) breakTopics() {
	s.t.Helper()
	s.personChanges(func() { require.NoError(s.t, os.Symlink("/tmp", s.path("kb", "topics"))) })
}

func (s *site) mendTopics() {
	s.t.Helper()
	s.git("rm", "-q", "topics")
	s.personChanges(func() { s.write("kb/by-hand.md", "mended\n") })
}

// task is the task that startArgs describe.
func (s *site) task(id string) workflows.Task {
	return workflows.Task{
		Tenant: s.name, BusinessID: id, Goal: "weekly report", Requester: "ann.wu",
		Context: []workflows.Source{{Kind: "dir", Root: "notes"}},
		Tools:   []workflows.ToolUse{{Tool: "gitpages", Target: "kb"}},
	}
}

// plainStart starts a task as one does by hand.
func (s *site) plainStart(run string, task workflows.Task) string {
	s.t.Helper()
	input, err := json.Marshal(task)
	require.NoError(s.t, err)
	s.temporal("workflow", "start", "--type", "AgentRun", "--task-queue", s.name, "--workflow-id", run, "--input", string(input))
	return run
}
