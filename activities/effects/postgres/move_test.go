package postgres_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The commands of docs/ledger.md that copy a file's rows, on rows of every
// state and with everything that a text can hold.
func TestMoveFromSQLite(t *testing.T) {
	for _, program := range []string{"sqlite3", "psql", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			require.NotEqual(t, "true", os.Getenv("CI"), "%s is missing", program)
			t.Skipf("%s is missing: %v", program, err)
		}
	}
	folder := t.TempDir()
	file, err := sqlite.Open(t.Context(), filepath.Join(folder, "ledger.db"))
	require.NoError(t, err)
	odd := "周报, \"a\" 'b' \\. \n\t NULL é"
	keys := []string{"leased", "parked", "released", "completed", odd}
	for _, key := range keys {
		c := claim(key, time.Hour)
		c.Target, c.Owner, c.Quiet = odd, "", time.Minute
		if key != "released" {
			c.Declaration = plan.Sum([]byte("class: once"))
		}
		token := claimed(t, file, c).Token
		receipt := done(key)
		receipt.Detail = odd
		switch key {
		case "parked":
			require.NoError(t, file.Park(t.Context(), key, token, odd, false))
		case "released":
			require.NoError(t, file.Release(t.Context(), key, token, odd))
		case "completed":
			require.NoError(t, file.Complete(t.Context(), key, token, receipt))
		}
	}
	want, err := file.Rows(t.Context(), keys)
	require.NoError(t, err)
	identity, err := file.Identity(t.Context())
	require.NoError(t, err)
	require.Len(t, want, len(keys))
	require.NoError(t, file.Close())

	address := cluster.Server(t).NewDatabase(t)
	l := open(t, address)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "set -e\n"+copyCommands(t))
	cmd.Env = append(os.Environ(), "DATA="+folder, "LEDGER="+address)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "COPY 5\nUPDATE 1\n", string(out))
	moved, err := l.Identity(t.Context())
	require.NoError(t, err)
	require.Equal(t, identity, moved, "the runs that were planned on the file go on")
	got, err := l.Rows(t.Context(), keys)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, l.Complete(t.Context(), "leased", 1, done("leased")), "a claim outlives the move")
}

// copyCommands is the block of the page that starts with sqlite3.
func copyCommands(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "ledger.md"))
	require.NoError(t, err)
	_, after, found := strings.Cut(string(page), "```sh\nsqlite3 ")
	require.True(t, found)
	commands, _, found := strings.Cut("sqlite3 "+after, "```")
	require.True(t, found)
	return commands
}
