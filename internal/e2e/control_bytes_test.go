package e2e

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/pgtest"
	"github.com/holdpoint/holdpoint/workflows"
)

// PostgreSQL's text takes no U+0000. A document with one is among twenty clean
// ones, and the record of effects is a PostgreSQL database: nothing of the batch
// is lost, the pages are written, and the database has a row of each.
func TestC060_NULBytesWithAPostgresLedger(t *testing.T) {
	t.Parallel()
	notes := map[string]string{
		"nul/nul.txt":      "before\x00after\n",
		"nul/escaped.json": `{"s":"before\u0000after"}`,
	}
	for i := range 20 {
		notes[fmt.Sprintf("clean/%02d.md", i)] = fmt.Sprintf("# Topic %02d\n\n- 2025-09-30 done: step %02d\n", i, i)
	}
	s := newSite(t, notes)
	url := pgtest.Start(t).NewDatabase(t)
	s.env = append(s.env, "LEDGER="+url)
	s.configure("ledger: ${env:LEDGER}\n")
	s.worker()
	run := s.start("nul")
	s.await(run, workflows.WaitingApproval)
	collected := s.look(run).State.Context
	require.Equal(t, 22, collected.Read)
	require.Zero(t, collected.Skipped)
	require.Contains(t, s.plan(run).Notes, "NUL characters were removed, in 1 of the documents: notes/nul/nul.txt (1)")
	s.approve(run, "bo.lin")
	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)

	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer db.Close(t.Context())
	var rows int
	require.NoError(t, db.QueryRow(t.Context(), `SELECT count(*) FROM holdpoint_effects WHERE state = 'COMPLETED'`).Scan(&rows))
	require.Equal(t, done.Counts.Total, rows)
}
