package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

func TestListsOfRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	waiting, gate := s.startToGate("waiting")
	canceled, _ := s.startToGate("canceled")
	s.starter("cancel", canceled)
	s.await(canceled, workflows.Canceled)

	list := func(args ...string) string {
		return s.starter(append([]string{"list", "--tenant", s.name}, args...)...)
	}
	s.eventually("the visibility store has caught up", func() bool {
		all := list()
		return listed(all, waiting, "WAITING_APPROVAL") && listed(all, canceled, "CANCELED")
	})
	require.NotContains(t, list("--status", "WAITING_APPROVAL"), canceled)
	require.Contains(t, list("-o", "json"), `"status": "WAITING_APPROVAL"`)
	forApprovers := s.approver("list")
	require.True(t, listed(forApprovers, waiting, gate.PlanHash.String()), forApprovers)
	require.NotContains(t, forApprovers, canceled)
}

// listed reports whether a table has a line about the run with that word.
func listed(table, run, word string) bool {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, run+" ") && strings.Contains(line, word) {
			return true
		}
	}
	return false
}

func TestCancelAtTheGate(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, _ := s.startToGate("weekly-2025-w40")
	s.starter("cancel", run)

	status := s.await(run, workflows.Canceled)
	require.Equal(t, pagesOfAWeek, status.Counts.Pending)
	s.noEffects()
	require.Contains(t, s.fails(1, programs.starter, "watch", run), "CANCELED")
	require.Contains(t, s.fails(1, programs.starter, "cancel", run), "is CANCELED already")
	require.Contains(t, s.fails(1, programs.starter, "cancel", run+"-unknown"), "no such run")
}

// Only runs of ours are canceled: any other workflow of the namespace is left
// alone.
func TestCancelLeavesOtherWorkflowsAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	other := s.name + "/other"
	s.temporal("workflow", "start", "--type", "SomebodyElses", "--task-queue", s.name+"-other", "--workflow-id", other)
	require.Contains(t, s.fails(1, programs.starter, "cancel", other), "not a Holdpoint run")
	require.NotContains(t, s.temporal("workflow", "show", "--workflow-id", other), "CancelRequested")
}

// What is in flight is waited for; what has not begun does not begin.
func TestCancelDuringExecution(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	w := s.worker("--stop-at", "execute_action.effect")
	run, _ := s.startToGate("weekly-2025-w40")
	s.approve(run, "bo.lin")
	s.stopped(w)
	s.starter("cancel", run)
	w.goOn()

	status := s.await(run, workflows.Canceled)
	require.Equal(t, 1, status.Counts.Done)
	require.Equal(t, pagesOfAWeek-1, status.Counts.Skipped)
	require.Equal(t, []string{status.Actions[0].Key}, s.keys())
}

func TestNoWorkerPolls(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	id := "weekly-2025-w40"
	run := s.name + "/" + id
	require.Contains(t, s.starter(s.startArgs(id)...), "no worker polls task queue "+s.name)
	said := s.starter("status", run)
	require.Contains(t, said, "no worker polls task queue "+s.name)
	require.Contains(t, said, "next: worker --config FILE -t "+s.name, "the next command")
	s.starter("cancel", run)
}

func TestMistakesOfUsage(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	good := "tenant: " + s.name + "\nbusiness_id: x\ngoal: weekly report\nrequester: ann.wu\n" +
		"context: [{kind: dir, root: notes}]\ntools: [{tool: gitpages, target: kb}]\n"
	s.write("good.yaml", good)
	s.write("typo.yaml", good+"gaol: x\n")
	s.write("nested.yaml", "context: [{kind: dir, root: notes, folder: x}]\n")
	s.write("broken.yaml", "tenant: [\n")
	s.write("path.yaml", `{"tenant":"a","business_id":"x","goal":"g","requester":"r",`+
		`"context":[{"kind":"dir","root":"/etc"}],"tools":[{"tool":"gitpages","target":"kb"}]}`)
	mistakes := []struct {
		args  []string
		names string
	}{
		{[]string{"start", "--task", "typo.yaml"}, `typo.yaml:7: unknown field "gaol"; known are tenant, business_id, goal,`},
		{[]string{"start", "--task", "nested.yaml"}, `nested.yaml:1: unknown field "folder"; known are kind, root,`},
		{[]string{"start", "--task", "broken.yaml"}, "broken.yaml"},
		{[]string{"start", "--task", "nowhere.yaml"}, "nowhere.yaml"},
		{[]string{"start", "--task", "path.yaml"}, "not a path"},
		{[]string{"start", "--task", "good.yaml", "--goal", "other"}, "--goal"},
		{s.startArgs("x", "--from", "/etc"), "source root"},
		{s.startArgs("x", "--from", "../.."), "source root"},
		{s.startArgs("x", "--on-failure", "explode"), "on_failure"},
		{[]string{"start", "--goal", "weekly report"}, "--from"},
		{[]string{"start", "--colour", "red"}, "--colour"},
		{[]string{"status"}, "run id"},
		{[]string{"list", "-o", "xml"}, "xml"},
	}
	for _, m := range mistakes {
		require.Contains(t, s.fails(2, programs.starter, m.args...), m.names, "%v", m.args)
	}
	require.Contains(t, s.fails(1, programs.starter, "status", s.name+"/x"), "no such run", "nothing was started")
	require.Contains(t, s.starter("start", "--task", "good.yaml", "-t", s.name), "started "+s.name+"/x")
	s.starter("cancel", s.name+"/x")
}
