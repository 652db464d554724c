package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
)

func identityOf(t *testing.T, l *sqlite.Ledger) string {
	t.Helper()
	identity, err := l.Identity(t.Context())
	require.NoError(t, err)
	require.Len(t, identity, 32)
	return identity
}

// The identity is the data's: it moves with the file, and two files have two.
func TestIdentityIsTheFiles(t *testing.T) {
	folder := t.TempDir()
	first, err := sqlite.Open(t.Context(), filepath.Join(folder, "a.db"))
	require.NoError(t, err)
	identity := identityOf(t, first)
	require.NotEqual(t, identity, identityOf(t, open(t, filepath.Join(folder, "b.db"))))
	require.NoError(t, first.Close())
	require.NoError(t, os.Rename(filepath.Join(folder, "a.db"), filepath.Join(folder, "moved.db")))
	require.Equal(t, identity, identityOf(t, open(t, filepath.Join(folder, "moved.db"))))
	require.NotEqual(t, identity, identityOf(t, open(t, filepath.Join(folder, "a.db"))), "a file that was made anew")
}

// SQLite itself goes on with a file that is gone: what it would write there is
// gone with the process.
func TestFileThatIsRemovedOrReplacedUnderTheWorker(t *testing.T) {
	replaced := func(t *testing.T, err error) {
		t.Helper()
		require.ErrorContains(t, err, effects.CodeOtherLedger+": the effect ledger's file was removed or replaced under this worker")
		require.Equal(t, faults.Transient, faults.ClassOf(err), "putting it back helps")
	}
	refusesAll := func(t *testing.T, l *sqlite.Ledger, token int64) {
		t.Helper()
		_, err := l.Begin(t.Context(), claim("other"))
		replaced(t, err)
		_, err = l.Settle(t.Context(), effects.Settlement{Key: "k"})
		replaced(t, err)
		_, err = l.Rows(t.Context(), []string{"k"})
		replaced(t, err)
		_, err = l.Identity(t.Context())
		replaced(t, err)
		replaced(t, l.Release(t.Context(), "k", token, "refused"))
	}
	t.Run("removed, and put back", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "effects.db")
		l := open(t, path)
		token := begin(t, l, "k").Token
		require.NoError(t, os.Rename(path, path+".away"))
		refusesAll(t, l, token)
		require.NoFileExists(t, path, "and none is made in its place")
		require.NoError(t, os.Rename(path+".away", path))
		require.NoError(t, l.Release(t.Context(), "k", token, "refused"))
	})
	t.Run("replaced by another ledger", func(t *testing.T) {
		folder := t.TempDir()
		path := filepath.Join(folder, "effects.db")
		l := open(t, path)
		token := begin(t, l, "k").Token
		other, err := sqlite.Open(t.Context(), filepath.Join(folder, "other.db"))
		require.NoError(t, err)
		require.NoError(t, other.Close())
		require.NoError(t, os.Rename(filepath.Join(folder, "other.db"), path))
		refusesAll(t, l, token)
	})
	t.Run("deleted", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "effects.db")
		l := open(t, path)
		token := begin(t, l, "k").Token
		require.NoError(t, os.Remove(path))
		refusesAll(t, l, token)
	})
}

// A file of the version before gets an identity, and keeps it.
func TestUpgradeGivesAnIdentity(t *testing.T) {
	for _, version := range []string{"version-1.sql", "version-2.sql", "version-3.sql"} {
		t.Run(version, func(t *testing.T) {
			schema, err := os.ReadFile(filepath.Join("testdata", version))
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "effects.db")
			db, err := sql.Open("sqlite", path)
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), string(schema))
			require.NoError(t, err)
			require.NoError(t, db.Close())

			upgraded, err := sqlite.Open(t.Context(), path)
			require.NoError(t, err)
			identity := identityOf(t, upgraded)
			require.NoError(t, upgraded.Close())
			require.Equal(t, identity, identityOf(t, open(t, path)))
			fresh := filepath.Join(t.TempDir(), "effects.db")
			open(t, fresh)
			require.Equal(t, schemaOf(t, fresh), schemaOf(t, path))
		})
	}
}
