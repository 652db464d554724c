package gitpages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// TestMain lets the test program be a worker process of its own: with
// workerRepo set it carries out the one call on its input and prints the
// receipt.
func TestMain(m *testing.M) {
	if repo := os.Getenv(workerRepo); repo != "" {
		if err := work(repo); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	workerRepo = "GITPAGES_TEST_WORKER_REPO"
	workerGit  = "GITPAGES_TEST_WORKER_GIT"  // the git program
	workerDies = "GITPAGES_TEST_WORKER_DIES" // SIGKILL to itself after Apply
)

func work(repo string) error {
	var call tools.Call
	if err := json.NewDecoder(os.Stdin).Decode(&call); err != nil {
		return err
	}
	ctx := context.Background()
	tool, err := gitpages.New(ctx, []gitpages.Repo{{Name: "kb", Path: repo}}, gitpages.Options{Git: os.Getenv(workerGit)})
	if err != nil {
		return err
	}
	receipt, err := tool.Apply(ctx, call)
	if err != nil {
		return err
	}
	if os.Getenv(workerDies) != "" {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return json.NewEncoder(os.Stdout).Encode(receipt)
}

// worker starts this test program as a worker process.
func worker(t *testing.T, repo string, call tools.Call, env ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	input, err := json.Marshal(call)
	require.NoError(t, err)
	cmd := exec.CommandContext(eventually(t), program)
	cmd.Env = append(append(os.Environ(), workerRepo+"="+repo), env...)
	cmd.Stdin = strings.NewReader(string(input))
	return cmd
}

// runWorker lets a new worker process carry out the call.
func runWorker(t *testing.T, repo string, call tools.Call) plan.Receipt {
	t.Helper()
	cmd := worker(t, repo, call)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var receipt plan.Receipt
	require.NoError(t, json.Unmarshal(out, &receipt))
	return receipt
}

// realGit is the git program, quoted for a shell.
func realGit(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs(needGit(t))
	require.NoError(t, err)
	return "'" + program + "'"
}

// onUpdateRef makes a git that runs these shell lines in the place of
// "git update-ref", and otherwise is the git program.
func onUpdateRef(t *testing.T, lines string) string {
	t.Helper()
	return script(t, `case " $* " in *" update-ref "*)`+"\n"+lines+"\n;; esac\nexec "+realGit(t)+` "$@"`)
}

// killsWorker makes a git that kills the process that started it, before or
// after it moves refs.
func killsWorker(t *testing.T, when string) string {
	t.Helper()
	if when == "before" {
		return onUpdateRef(t, "kill -9 $PPID; exit 1")
	}
	return onUpdateRef(t, realGit(t)+` "$@"; kill -9 $PPID; exit 0`)
}
