package outline

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// What the planner proposes, the tool must accept: whatever documents are
// called and hold.
func TestTheToolAcceptsEveryPage(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			require.FailNow(t, "git is not there")
		}
		t.Skip("git is not there")
	}
	kb, err := gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: filepath.Join(t.TempDir(), "kb")}}, gitpages.Options{})
	require.NoError(t, err)

	odd := []planners.Document{
		markdown(".hidden.md", "a"), markdown("-n.md", "b"), markdown("git~1.md", "c"), markdown("%2e%2e.md", "d"), markdown("a\u202Egpj.md", "e"),
		markdown(strings.Repeat("文", 80)+".md", "f"), markdown("con.md", "g"), markdown("a .md", "h"), markdown(`x\xe9.md`, "i"),
		markdown("nul.txt", "# \u202E\n"), markdown("line\nbreak.md", "k"),
	}
	for name, documents := range map[string][]planners.Document{"example": example(t), "hostile": hostileDocuments(), "odd names": odd} {
		for _, a := range planIt(t, request(documents)).Actions {
			prepared, err := kb.Prepare(t.Context(), a.Proposal)
			require.NoError(t, err, "%s: %s", name, a.ID)
			require.True(t, strings.HasPrefix(prepared.Target, "kb/"), prepared.Target)
		}
	}
}
