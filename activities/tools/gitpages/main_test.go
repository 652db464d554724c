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
// workerRepo set it carries out the calls on its input, one after the other,
// and prints their receipts.
func TestMain(m *testing.M) {
	if repo := os.Getenv(workerRepo); repo != "" {
		if err := work(repo); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(inShared(m.Run))
}

// shared is a folder for what several tests copy.
var shared string

func inShared(run func() int) int {
	var err error
	if shared, err = os.MkdirTemp("", "gitpages-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(shared)
	return run()
}

const (
	workerRepo   = "GITPAGES_TEST_WORKER_REPO"
	workerRemote = "GITPAGES_TEST_WORKER_REMOTE" // workerRepo is its cache
	workerGit    = "GITPAGES_TEST_WORKER_GIT"    // the git program
	workerDies   = "GITPAGES_TEST_WORKER_DIES"   // SIGKILL to itself after Apply
)

func work(repo string) error {
	ctx := context.Background()
	tool, err := gitpages.New(ctx, []gitpages.Repo{{Name: "kb", Path: repo, Remote: os.Getenv(workerRemote)}},
		gitpages.Options{Git: os.Getenv(workerGit)})
	if err != nil {
		return err
	}
	for calls := json.NewDecoder(os.Stdin); calls.More(); {
		var call tools.Call
		if err := calls.Decode(&call); err != nil {
			return err
		}
		receipt, err := tool.Apply(ctx, call)
		if err != nil {
			return err
		}
		if os.Getenv(workerDies) != "" {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		if err := json.NewEncoder(os.Stdout).Encode(receipt); err != nil {
			return err
		}
	}
	return nil
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
func runWorker(t *testing.T, repo string, call tools.Call, env ...string) plan.Receipt {
	t.Helper()
	cmd := worker(t, repo, call, env...)
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
	return onCommand(t, "update-ref", lines)
}

// onCommand makes a git that runs these shell lines in the place of a command
// with these words in it.
func onCommand(t *testing.T, words, lines string) string {
	t.Helper()
	return script(t, `case " $* " in *" `+words+` "*)`+"\n"+lines+"\n;; esac\nexec "+realGit(t)+` "$@"`)
}

// killsWorker makes a git that kills the process that started it, before or
// after a command of this name.
func killsWorker(t *testing.T, when, command string) string {
	t.Helper()
	if when == "before" {
		return onCommand(t, command, "kill -9 $PPID; exit 1")
	}
	return onCommand(t, command, realGit(t)+` "$@"; kill -9 $PPID; exit 0`)
}
