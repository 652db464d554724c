package e2e

import (
	"database/sql"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // to look into a worker's ledger

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// moveLedger moves the ledger's files.
func (s *site) moveLedger(from, to string) {
	s.t.Helper()
	for _, part := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(s.path("data", from+part), s.path("data", to+part)); part == "" || !os.IsNotExist(err) {
			require.NoError(s.t, err)
		}
	}
}

// forgetEffects removes every row, as an older backup has none.
func (s *site) forgetEffects() {
	s.t.Helper()
	db, err := sql.Open("sqlite", s.path("data", "ledger.db"))
	require.NoError(s.t, err)
	defer db.Close()
	_, err = db.ExecContext(s.t.Context(), `DELETE FROM effects`)
	require.NoError(s.t, err)
}

// lockLedger keeps every worker from writing to the ledger.
func (s *site) lockLedger() (unlock func()) {
	s.t.Helper()
	db, err := sql.Open("sqlite", s.path("data", "ledger.db"))
	require.NoError(s.t, err)
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(s.t.Context(), `BEGIN IMMEDIATE`)
	require.NoError(s.t, err)
	unlock = sync.OnceFunc(func() { db.Close() })
	s.t.Cleanup(unlock)
	return unlock
}

// retrying waits until an attempt has failed with that text.
func (s *site) retrying(run, text string) {
	s.t.Helper()
	s.eventually("an attempt fails: "+text, func() bool {
		read, err := s.reader.Read(s.t.Context(), run)
		require.NoError(s.t, err)
		for _, p := range read.Pending {
			if strings.Contains(p.Failure, text) {
				return true
			}
		}
		return false
	})
}

// The effect has been made, the worker is killed, and the next one has another
// ledger. Nothing is sent again, whatever that one does not know.
func TestLedgerIsMovedAwayBetweenTwoAttempts(t *testing.T) {
	s := newSite(t, nil)
	server := s.shop("once", "")
	s.addToTool("    call_timeout: 2s\n")
	victim := s.worker("--stop-at", "execute_action.effect")
	run := s.order()
	s.stopped(victim)
	require.Equal(t, 1, server.All())
	victim.kill()
	s.moveLedger("ledger.db", "away.db")

	other := s.worker()
	s.retrying(run, "other_ledger")
	require.Contains(t, s.starter("status", run), "give the worker its ledger back")
	require.Equal(t, 1, server.All(), "nothing is sent")
	require.Equal(t, workflows.Running, s.status(run).Status, "and nothing has failed")
	other.kill()

	s.moveLedger("ledger.db", "other.db")
	s.moveLedger("away.db", "ledger.db")
	s.worker()
	waiting := s.await(run, workflows.WaitingResolution)
	require.NotEmpty(t, waiting.Actions[0].Doubt.Detail)
	s.approver("resolve", run, "order", "happened", "--as", "bo.lin", "--evidence", "it is in the shop")
	done := s.await(run, workflows.Completed)
	for _, a := range done.Actions {
		require.Equal(t, 1, server.Effects(a.Key), a.ID)
	}
}

// SQLite goes on with a file that is gone. The worker does not.
func TestLedgerIsDeletedUnderTheWorker(t *testing.T) {
	s := newSite(t, nil)
	server := s.shop("once", "")
	w := s.worker()
	s.write("notes/actions.json", `{"format": "holdpoint.actions/1", "actions": [{"id": "order", "tool": "shop", "parameters": {"number": "1"}}]}`)
	run := s.requested()
	s.await(run, workflows.WaitingApproval)
	s.moveLedger("ledger.db", "away.db")
	s.approve(run, "bo.lin")
	s.retrying(run, "removed or replaced under this worker")
	require.Zero(t, server.All())
	require.NoFileExists(t, s.path("data", "ledger.db"))
	w.kill()
	s.moveLedger("away.db", "ledger.db")
	s.worker()
	s.await(run, workflows.Completed)
	require.Equal(t, 1, server.All())
}

// A row that is gone, as after a backup from before, is a doubt.
func TestRowIsGoneBetweenTwoAttempts(t *testing.T) {
	s := newSite(t, nil)
	server := s.shop("once", "")
	s.addToTool("    call_timeout: 2s\n")
	s.write("notes/actions.json", `{"format": "holdpoint.actions/1", "actions": [{"id": "order", "tool": "shop", "parameters": {"number": "1"}}]}`)
	victim := s.worker("--stop-at", "execute_action.effect")
	run := s.order()
	s.stopped(victim)
	victim.kill()
	s.forgetEffects()
	s.worker()
	waiting := s.await(run, workflows.WaitingResolution)
	require.Equal(t, 1, server.All(), "nothing is sent again")
	require.Contains(t, waiting.Actions[0].Doubt.Detail, "the ledger has no row of it")
	s.approver("resolve", run, "order", "happened", "--as", "bo.lin", "--evidence", "it is in the shop")
	s.await(run, workflows.Completed)
	require.Equal(t, 1, server.All())
}

// A ledger that cannot be written for longer than the tool has attempts.
func TestLedgerOutageFailsNoAction(t *testing.T) {
	s := newSite(t, nil)
	server := s.shop("keyed", "")
	s.addToTool("    key_window: 1h\n    retry: {attempts: 2, budget: 5s}\n")
	w := s.worker()
	run := s.requested()
	s.await(run, workflows.WaitingApproval)
	unlock := s.lockLedger()
	s.approve(run, "bo.lin")
	s.eventually("more attempts than the tool has", func() bool {
		read, err := s.reader.Read(t.Context(), run)
		require.NoError(t, err)
		return len(read.Pending) > 0 && read.Pending[0].Attempt > 3
	})
	require.Zero(t, server.All())
	unlock()
	done := s.await(run, workflows.Completed)
	for _, a := range done.Actions {
		require.Equal(t, 1, server.Effects(a.Key), a.ID)
	}
	require.NotContains(t, w.said(), "attempts_used_up")
}

// A run that was given up in doubt is started once more: the new execution asks
// before it sends.
func TestStartedAgainAfterAnAbort(t *testing.T) {
	s := newSite(t, nil)
	server := s.shop("once", "")
	s.addToTool("    call_timeout: 2s\n")
	s.write("notes/actions.json", `{"format": "holdpoint.actions/1", "actions": [{"id": "order", "tool": "shop", "parameters": {"number": "1"}}]}`)
	server.Script(scripted.Answer{Ending: scripted.Reset})
	s.worker()
	run := s.order()
	s.await(run, workflows.WaitingResolution)
	s.approver("resolve", run, "order", "abort", "--as", "bo.lin", "--evidence", "the shop is closed today")
	failed := s.await(run, workflows.Failed)
	require.Equal(t, 1, failed.Counts.InDoubt)
	require.Contains(t, s.starter("status", run), "starter start --again with the same task")

	refused := s.fails(1, programs.starter, "start", "--task", s.path("task.json"), "-t", s.name)
	require.Contains(t, refused, "Start it once more with --again")
	require.NotContains(t, refused, "another business id")
	s.starter("start", "--task", s.path("task.json"), "-t", s.name, "--again")
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	s.await(run, workflows.WaitingResolution)
	require.Equal(t, 1, server.All(), "nothing is sent before a person has said what became of it")
	s.approver("resolve", run, "order", "happened", "--as", "bo.lin", "--evidence", "it is in the shop")
	s.await(run, workflows.Completed)
	require.Equal(t, 1, server.All())
}

// A word that has something sent again can be taken back for as long as it
// waits.
func TestNotHappenedIsTakenBack(t *testing.T) {
	s := newSite(t, nil)
	server := s.shop("once", "")
	s.addToTool("    call_timeout: 30s\n")
	s.write("notes/actions.json", `{"format": "holdpoint.actions/1", "actions": [{"id": "order", "tool": "shop", "parameters": {"number": "1"}}]}`)
	server.Script(scripted.Answer{Ending: scripted.Reset})
	s.worker()
	run := s.order()
	s.await(run, workflows.WaitingResolution)
	s.approver("resolve", run, "order", "not_happened", "--as", "bo.lin", "--evidence", "I do not see it")
	s.eventually("the status says when it is sent again", func() bool {
		return strings.Contains(s.status(run).Reason, "action order is sent again after ")
	})
	waiting := s.status(run)
	require.Equal(t, workflows.WaitingResolution, waiting.Status)
	require.Equal(t, workflows.StepRunning, waiting.Steps[3].Status)
	s.sameByQuery(run)
	said := s.starter("status", run)
	require.Contains(t, said, "not_happened, says bo.lin: I do not see it")
	require.Contains(t, said, "it is sent again after ")
	require.Contains(t, said, `"claim":"1"`)
	answer := s.temporal("workflow", "update", "execute", "--workflow-id", run, "--name", "resolution", "--input",
		`{"action_id":"order","plan_hash":"`+waiting.PlanHash.String()+`","outcome":"happened","operator":"cy.ma","evidence":"it is on page 2"}`)
	require.Contains(t, answer, string(approvals.Accepted))
	done := s.await(run, workflows.Completed)
	require.Equal(t, 1, server.All(), "it is not sent again")
	require.Equal(t, "by the word of cy.ma", done.Actions[0].Ref)
	file := s.saveHistory(run)
	require.Contains(t, s.must(programs.worker, "replay", file), "ok")
}
