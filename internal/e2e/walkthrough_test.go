package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// TestWalkthrough runs the README's walk-through as scripts that one can read
// beside it: the built programs, a real development server, and the real
// temporal CLI sending the signals.
func TestWalkthrough(t *testing.T) {
	need(t)
	root, err := toolchain.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for _, v := range programEnv(startServer(t), env.WorkDir) {
				name, value, _ := strings.Cut(v, "=")
				env.Setenv(name, value)
			}
			example := filepath.Join("examples", "weekly-report")
			return os.CopyFS(filepath.Join(env.WorkDir, example), os.DirFS(filepath.Join(root, example)))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"approve": approveCommand,
			"commits": commitsCommand,
		},
	})
}

// approve RUN runs the very command that `starter status` prints.
func approveCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("starter", "status", args[0]))
	_, command, found := strings.Cut(ts.ReadFile("stdout"), "  temporal ")
	if !found {
		ts.Fatalf("status prints no command that approves")
	}
	command, _, _ = strings.Cut(command, "\n")
	ts.Check(ts.Exec("sh", "-c", "temporal "+command))
}

// commits N fails unless the branch has so many commits.
func commitsCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("git", "-C", ".holdpoint/kb", "rev-list", "--count", "main"))
	if got := strings.TrimSpace(ts.ReadFile("stdout")); got != args[0] {
		ts.Fatalf("%s commits, not %s", got, args[0])
	}
}
