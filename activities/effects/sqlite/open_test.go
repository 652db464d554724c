package sqlite_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestOpenMakesPrivateFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	l := open(t, filepath.Join(folder, "effects.db"))
	begin(t, l, "k")

	require.Equal(t, fs.FileMode(0o700), permissions(t, folder))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, entry := range entries {
		require.Equal(t, fs.FileMode(0o600), permissions(t, filepath.Join(folder, entry.Name())), entry.Name())
	}
}

func TestOpenTakesAnyPath(t *testing.T) {
	for _, name := range []string{"a b.db", "100%.db", "a?mode=memory.db", "a#b.db", "周报.db", "%41.db", "a&_txlock=deferred"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			begin(t, open(t, path), "k")
			require.FileExists(t, path)
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Positive(t, info.Size()+sizeOf(t, path+"-wal"), "the content is in the file of that name")
		})
	}
	t.Run("relative", func(t *testing.T) {
		t.Chdir(t.TempDir())
		begin(t, open(t, "effects.db"), "k")
		require.FileExists(t, "effects.db")
	})
}

func TestRowsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "effects.db")
	l, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	want := begin(t, l, "k").Row
	require.NoError(t, l.Close())

	rows, err := open(t, path).Rows(t.Context(), []string{"k"})
	require.NoError(t, err)
	require.Equal(t, []effects.Row{want}, rows)
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"a newer schema", func(t *testing.T, path string) {
			begin(t, open(t, path), "k")
			execute(t, path, `PRAGMA user_version = 5`)
		}, "schema version 5, and this program knows versions up to 4"},
		{"another program's database", func(t *testing.T, path string) {
			execute(t, path, `CREATE TABLE effects (key TEXT)`)
		}, "belongs to another program"},
		{"another program's database that says so", func(t *testing.T, path string) {
			execute(t, path, `PRAGMA application_id = 7`, `PRAGMA user_version = 1`)
		}, "belongs to another program"},
		{"a text file", func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("# notes\n", 1000)), 0o600))
		}, "not a database"},
		{"a folder", func(t *testing.T, path string) {
			require.NoError(t, os.Mkdir(path, 0o700))
		}, "unable to open database file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "effects.db")
			tt.make(t, path)
			l, err := sqlite.Open(t.Context(), path)
			require.Nil(t, l)
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, path)
		})
	}
}

func TestDamagedRowIsPermanent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "effects.db")
	l := open(t, path)
	begin(t, l, "k")
	execute(t, path, `UPDATE effects SET fingerprint = 'sha256:short'`)
	_, err := l.Rows(t.Context(), []string{"k"})
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
	require.EqualError(t, err, "ledger_corrupt: the effect ledger's row of key k cannot be read")
}

// A clock that was set back does not make a lease that was just renewed look
// as if it were over.
func TestRowTimeNeverRunsBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "effects.db")
	l := open(t, path)
	token := begin(t, l, "k").Token
	execute(t, path, `UPDATE effects SET updated_at = '2126-11-29T17:00:00.000Z'`)
	ahead := time.Date(2126, 11, 29, 17, 0, 0, 0, time.UTC)
	row := func() effects.Row {
		rows, err := l.Rows(t.Context(), []string{"k"})
		require.NoError(t, err)
		return rows[0]
	}
	require.NoError(t, l.Renew(t.Context(), "k", token, time.Minute))
	require.Equal(t, ahead.Add(time.Minute), row().LeaseUntil)
	require.NoError(t, l.Park(t.Context(), "k", token, "no answer", true))
	require.Equal(t, ahead, row().UpdatedAt)
	require.Equal(t, ahead.Add(time.Hour), begin(t, l, "k").Row.LeaseUntil)
}

func claim(key string) effects.Claim {
	return effects.Claim{
		Key: key, Fingerprint: plan.Sum([]byte("{}")), Tenant: "acme", RunID: "acme/demo-001",
		ActionID: "page", Tool: "folder", Target: "kb", Attempt: 1, Owner: "test", Lease: time.Hour,
	}
}

func begin(t *testing.T, l *sqlite.Ledger, key string) effects.Begun {
	t.Helper()
	begun, err := l.Begin(t.Context(), claim(key))
	require.NoError(t, err)
	require.Positive(t, begun.Token)
	return begun
}

// execute changes the file behind the ledger's back.
func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	for _, statement := range statements {
		_, err = db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
}

func permissions(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode().Perm()
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(t, err)
	return info.Size()
}
