package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// version1 is a file as the first version left it: one row in each state that
// a row can be in.
func version1(t *testing.T) (path string) {
	t.Helper()
	schema, err := os.ReadFile(filepath.Join("testdata", "version-1.sql"))
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "effects.db")
	insert := `INSERT INTO effects (key, tenant, run_id, action_id, tool, target, fingerprint, lease_owner, created_at, updated_at,
		state, attempt, token, lease_until, receipt, reason)
		VALUES (?, 'acme', 'acme/r', 'page', 'gitpages', 'kb/a.md', '` + fingerprint().String() + `', 'w',
		'2020-11-29T17:00:00.000Z', '2020-11-29T17:04:05.678Z', ?, ?, ?, ?, ?, ?)`
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), `PRAGMA journal_mode = WAL`)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), string(schema))
	require.NoError(t, err)
	const done = `{"idempotency_key":"completed","tool":"gitpages","target":"kb/a.md","ref":"abc","at":"2020-11-29T17:04:05Z"}`
	for key, values := range map[string][]any{ // state, attempt, token, lease_until, receipt, reason
		"completed": {"COMPLETED", 1, 1, nil, done, ""},
		"released":  {"RELEASED", 2, 2, nil, nil, "refused"},
		"parked":    {"STARTED", 3, 3, nil, nil, "no answer"},
		"leased":    {"STARTED", 4, 4, "2126-11-29T17:04:08.678Z", nil, ""},
	} {
		_, err = db.ExecContext(t.Context(), insert, append([]any{key}, values...)...)
		require.NoError(t, err, key)
	}
	return path
}

func fingerprint() plan.Digest { return plan.Sum([]byte("{}")) }

func TestUpgradeKeepsEveryRow(t *testing.T) {
	path := version1(t)
	created := time.Date(2020, 11, 29, 17, 0, 0, 0, time.UTC)
	updated := time.Date(2020, 11, 29, 17, 4, 5, 678e6, time.UTC)
	row := func(key string, state effects.State, n int, reason string) effects.Row {
		return effects.Row{
			Key: key, Tenant: "acme", RunID: "acme/r", ActionID: "page", Tool: "gitpages", Target: "kb/a.md", Fingerprint: fingerprint(),
			State: state, Attempt: n, Token: int64(n), LeaseOwner: "w", SentAt: created, Reason: reason, CreatedAt: created, UpdatedAt: updated,
		}
	}
	completed := row("completed", effects.Completed, 1, "")
	completed.Receipt = &plan.Receipt{IdempotencyKey: "completed", Tool: "gitpages", Target: "kb/a.md", Ref: "abc", At: time.Date(2020, 11, 29, 17, 4, 5, 0, time.UTC)}
	parked, leased := row("parked", effects.Started, 3, "no answer"), row("leased", effects.Started, 4, "")
	quiet := time.Date(2020, 11, 29, 17, 14, 5, 678e6, time.UTC)
	parked.QuietUntil, leased.QuietUntil = quiet, quiet
	leased.LeaseUntil = time.Date(2126, 11, 29, 17, 4, 8, 678e6, time.UTC)

	for range 2 { // the second time there is nothing left to upgrade
		rows, err := open(t, path).Rows(t.Context(), []string{"completed", "released", "parked", "leased"})
		require.NoError(t, err)
		require.Equal(t, []effects.Row{completed, row("released", effects.Released, 2, "refused"), parked, leased}, rows)
	}
}

// A file that was upgraded and one that is new are alike from then on.
func TestUpgradeEndsInTheSchema(t *testing.T) {
	upgraded, fresh := version1(t), filepath.Join(t.TempDir(), "effects.db")
	open(t, upgraded)
	open(t, fresh)
	require.NotEmpty(t, schemaOf(t, fresh))
	require.Equal(t, schemaOf(t, fresh), schemaOf(t, upgraded))
}

func TestUpgradedClaims(t *testing.T) {
	l := open(t, version1(t))
	require.NoError(t, l.Complete(t.Context(), "leased", 4, plan.Receipt{IdempotencyKey: "leased", At: time.Now()}), "a claim of before still counts")
	c := claim("parked")
	begun, err := l.Begin(t.Context(), c)
	require.NoError(t, err)
	require.True(t, begun.Recover)
	require.Equal(t, int64(4), begun.Token)
}

func schemaOf(t *testing.T, path string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT coalesce(sql, name) FROM sqlite_schema
		UNION ALL SELECT user_version FROM pragma_user_version
		UNION ALL SELECT application_id FROM pragma_application_id`)
	require.NoError(t, err)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		all = append(all, text)
	}
	require.NoError(t, rows.Err())
	return all
}
