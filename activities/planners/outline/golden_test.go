package outline

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
)

var update = flag.Bool("update", false, "write the golden pages anew; read them before committing")

// pageOf is what an action proposes.
type pageOf struct{ Page, Content, Title string }

func request(documents []planners.Document) planners.Request {
	return planners.Request{
		Tenant: "acme", BusinessID: "weekly-report-2026-W48", Goal: "Write the weekly report",
		Documents: documents, Targets: []planners.Target{{Tool: "gitpages", Name: "kb"}},
	}
}

// pages plans and returns the pages by path.
func pages(t *testing.T, r planners.Request) map[string]pageOf {
	t.Helper()
	draft, err := Planner{}.Plan(t.Context(), r)
	require.NoError(t, err)
	written := map[string]pageOf{}
	for _, a := range draft.Actions {
		var p pageOf
		require.NoError(t, json.Unmarshal(a.Proposal.Parameters, &p))
		require.NotContains(t, written, p.Page)
		written[p.Page] = p
	}
	return written
}

// The golden pages are what a reader of the example gets. They are read and
// judged by people, not only compared.
func TestGoldenPagesOfTheExample(t *testing.T) {
	dir := filepath.Join("testdata", "golden")
	written := pages(t, request(example(t)))
	if *update {
		require.NoError(t, os.RemoveAll(dir))
		for name, p := range written {
			path := filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(p.Content), 0o644))
		}
	}
	golden := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		golden++
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, strings.Split(string(want), "\n"), strings.Split(written[filepath.ToSlash(name)].Content, "\n"), name)
		return nil
	}))
	require.Equal(t, len(written), golden)
}
