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
	insert := `INSERT INTO effects (key, tenant, run_id, action_id, tool, target, fingerprint, lease_owner, created_at, updated_at,
		state, attempt, token, lease_until, receipt, reason)
		VALUES (?, 'acme', 'acme/r', 'page', 'gitpages', 'kb/a.md', '` + fingerprint().String() + `', 'w',
		'2020-11-29T17:00:00.000Z', '2020-11-29T17:04:05.678Z', ?, ?, ?, ?, ?, ?)`
	path, db := fileOf(t, "version-1.sql")
	defer db.Close()
	for key, values := range map[string][]any{ // state, attempt, token, lease_until, receipt, reason
		"completed": {"COMPLETED", 1, 1, nil, done, ""},
		"released":  {"RELEASED", 2, 2, nil, nil, "refused"},
		"parked":    {"STARTED", 3, 3, nil, nil, "no answer"},
		"leased":    {"STARTED", 4, 4, "2126-11-29T17:04:08.678Z", nil, ""},
	} {
		_, err := db.ExecContext(t.Context(), insert, append([]any{key}, values...)...)
		require.NoError(t, err, key)
	}
	return path
}

// version3 is a file as the third version left it, with the same rows.
func version3(t *testing.T) (path string) {
	t.Helper()
	insert := `INSERT INTO effects (key, tenant, run_id, action_id, tool, target, fingerprint, lease_owner, created_at, updated_at, sent_at,
		state, attempt, token, lease_until, quiet_until, receipt, reason)
		VALUES (?, 'acme', 'acme/r', 'page', 'gitpages', 'kb/a.md', '` + fingerprint().String() + `', 'w',
		'2020-11-29T17:00:00.000Z', '2020-11-29T17:04:05.678Z', '2020-11-29T17:01:00.000Z', ?, ?, ?, ?, ?, ?, ?)`
	path, db := fileOf(t, "version-3.sql")
	defer db.Close()
	for key, values := range map[string][]any{ // state, attempt, token, lease_until, quiet_until, receipt, reason
		"completed": {"COMPLETED", 1, 1, nil, nil, done, ""},
		"released":  {"RELEASED", 2, 2, nil, nil, nil, "refused"},
		"parked":    {"STARTED", 3, 3, nil, "2020-11-29T17:14:05.678Z", nil, "no answer"},
		"leased":    {"STARTED", 4, 4, "2126-11-29T17:04:08.678Z", "2020-11-29T17:14:05.678Z", nil, ""},
	} {
		_, err := db.ExecContext(t.Context(), insert, append([]any{key}, values...)...)
		require.NoError(t, err, key)
	}
	return path
}

// fileOf is a file with the schema of an earlier version.
func fileOf(t *testing.T, version string) (path string, db *sql.DB) {
	t.Helper()
	schema, err := os.ReadFile(filepath.Join("testdata", version))
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "effects.db")
	db, err = sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `PRAGMA journal_mode = WAL`)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), string(schema))
	require.NoError(t, err)
	return path, db
}

// done is the receipt of the completed row, as the file has it.
const done = `{"idempotency_key":"completed","tool":"gitpages","target":"kb/a.md","ref":"abc","at":"2020-11-29T17:04:05Z"}`

func fingerprint() plan.Digest { return plan.Sum([]byte("{}")) }

func TestUpgradeKeepsEveryRow(t *testing.T) {
	created := time.Date(2020, 11, 29, 17, 0, 0, 0, time.UTC)
	t.Run("of version 1, which did not keep when the first call was made", func(t *testing.T) {
		requireRows(t, version1(t), created)
	})
	t.Run("of version 3", func(t *testing.T) {
		requireRows(t, version3(t), created.Add(time.Minute))
	})
}

// requireRows wants the four rows, as they are after an upgrade.
func requireRows(t *testing.T, path string, sent time.Time) {
	t.Helper()
	created := time.Date(2020, 11, 29, 17, 0, 0, 0, time.UTC)
	updated := time.Date(2020, 11, 29, 17, 4, 5, 678e6, time.UTC)
	row := func(key string, state effects.State, n int, reason string) effects.Row {
		return effects.Row{
			Key: key, Tenant: "acme", RunID: "acme/r", ActionID: "page", Tool: "gitpages", Target: "kb/a.md", Fingerprint: fingerprint(),
			State: state, Attempt: n, Token: int64(n), LeaseOwner: "w", SentAt: sent, Reason: reason, CreatedAt: created, UpdatedAt: updated,
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
	fresh := filepath.Join(t.TempDir(), "effects.db")
	open(t, fresh)
	require.NotEmpty(t, schemaOf(t, fresh))
	for _, upgraded := range []string{version1(t), version3(t)} {
		open(t, upgraded)
		require.Equal(t, schemaOf(t, fresh), schemaOf(t, upgraded))
	}
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

// Under which declaration a call of before was made nobody knows: it is
// recovered as that version would have, and the next one is known.
func TestUpgradedDoubtHasNoDeclaration(t *testing.T) {
	l := open(t, version3(t))
	c := claim("parked")
	c.Declaration = plan.Sum([]byte("class: keyed"))
	begun, err := l.Begin(t.Context(), c)
	require.NoError(t, err)
	require.True(t, begun.Recover)
	require.False(t, begun.Redeclared)
	require.NoError(t, l.Park(t.Context(), "parked", begun.Token, "no answer", true))
	c.Declaration = plan.Sum([]byte("class: once"))
	begun, err = l.Begin(t.Context(), c)
	require.NoError(t, err)
	require.True(t, begun.Redeclared)
}

func schemaOf(t *testing.T, path string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT coalesce(sql, name) FROM sqlite_schema
		UNION ALL SELECT user_version FROM pragma_user_version
		UNION ALL SELECT application_id FROM pragma_application_id
		ORDER BY 1`) // in which order the tables were made does not matter
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
