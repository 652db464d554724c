package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// The tool itself looks at what a model proposes, before anybody is asked.
func TestC074_PathsThatLeaveTheKnowledgeBase(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		require.Empty(t, os.Getenv("CI"), "git is missing")
		t.Skip("git is missing")
	}
	base := filepath.Join(t.TempDir(), "kb")
	tool, err := gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: base}}, gitpages.Options{})
	require.NoError(t, err)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(base, "link-out")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "nothing"), filepath.Join(base, "dangling.md")))
	git(t, base, "add", ".")
	git(t, base, "commit", "--quiet", "-m", "links")
	before := git(t, base, "for-each-ref")

	r := request()
	r.Targets = []planners.Target{{Tool: "gitpages", Name: "kb", Schema: tool.Spec().Schema}}
	r.Check = func(ctx context.Context, actions []planners.DraftAction) error {
		for _, a := range actions {
			if _, err := tool.Prepare(ctx, a.Proposal); err != nil {
				return err
			}
		}
		return nil
	}
	reply := func(page, more string) string {
		quoted, err := json.Marshal(page)
		require.NoError(t, err)
		return fmt.Sprintf(`{"format":"holdpoint.actions/1","actions":[{"id":"a","tool":"gitpages",%s"parameters":{"page":%s,"content":"x"}}]}`, more, quoted)
	}
	for name, text := range map[string]string{
		"up":              reply("../../etc/x.md", ""),
		"from the root":   reply("/etc/x.md", ""),
		"up from within":  reply("notes/../../x.md", ""),
		"escaped":         reply("notes/%2e%2e/x", ""),
		"a hook":          reply(".git/hooks/post-commit", ""),
		"a hook in caps":  reply(".GIT/hooks/x.md", ""),
		"a folder's link": reply("link-out/x.md", ""),
		"a dangling link": reply("dangling.md", ""),
		"turned around":   reply("a\u202egpj.md", ""),
		"5,000 letters":   reply(strings.Repeat("a", 5000)+".md", ""),
		"an option":       reply("-n", ""),
		"into above":      reply("x.md", `"into":"kb/..",`),
		"into another":    reply("x.md", `"into":"prod",`),
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, text)
			draft, err := s.attempts(r)
			s.refusedAs(err, "bad_reply", "")
			require.Empty(t, draft.Actions)
			require.Equal(t, 3, s.server.calls())
		})
	}
	s := newScene(t, reply("notes/x.md", ""))
	_, err = s.plan(r)
	require.NoError(t, err, "and a page within is fine")
	require.Equal(t, before, git(t, base, "for-each-ref"))
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func git(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=Mei", "-c", "user.email=mei@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
