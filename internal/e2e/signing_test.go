package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// TestSigning runs scripts in which people sign: with the real ssh-keygen and
// ssh-agent, the built programs, and the plain temporal CLI.
func TestSigning(t *testing.T) {
	need(t)
	needOpenSSH(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script/signing",
		Setup: func(env *testscript.Env) error {
			for _, v := range programEnv(startServer(t), env.WorkDir) {
				name, value, _ := strings.Cut(v, "=")
				env.Setenv(name, value)
			}
			env.Setenv("SSH_AUTH_SOCK", "")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"hash":        hashCommand,
			"signal":      signalCommand,
			"verdict":     verdictCommand,
			"signature":   signatureCommand,
			"unconfirmed": unconfirmedCommand,
			"pages":       pagesCommand,
		},
	})
}

// needOpenSSH skips where OpenSSH's programs are missing; under CI that is a
// failure.
func needOpenSSH(t *testing.T) {
	t.Helper()
	for _, program := range []string{"ssh-keygen", "ssh-agent", "ssh-add"} {
		_, err := exec.LookPath(program)
		switch {
		case err == nil:
		case os.Getenv("CI") == "true":
			t.Fatalf("%s is missing: %s", program, err)
		default:
			t.Skipf("%s is missing: %s", program, err)
		}
	}
}

func statusOf(ts *testscript.TestScript, run string) (status workflows.Status) {
	ts.Check(ts.Exec("starter", "status", run, "-o", "json"))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &status))
	return status
}

// hash RUN NAME puts the run's plan hash into the environment.
func hashCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[1], statusOf(ts, args[0]).PlanHash.String())
}

// signal RUN JSON sends a decision with the temporal CLI.
func signalCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("temporal", "workflow", "signal", "--workflow-id", args[0], "--name", "approval", "--input", args[1]))
}

// verdict RUN CODE waits for a verdict of that code.
func verdictCommand(ts *testscript.TestScript, _ bool, args []string) {
	awaitStatus(ts, args[0], func(s workflows.Status) bool {
		return slices.ContainsFunc(s.Decisions.Counts, func(c workflows.CodeCount) bool { return c.Code == approvals.Code(args[1]) })
	})
}

// unconfirmed RUN NAME waits for an action that waits for a word of its own,
// and puts its id into the environment.
func unconfirmedCommand(ts *testscript.TestScript, _ bool, args []string) {
	awaitStatus(ts, args[0], func(s workflows.Status) bool {
		i := slices.IndexFunc(s.Actions, func(a workflows.Action) bool { return a.Unconfirmed })
		if i >= 0 {
			ts.Setenv(args[1], s.Actions[i].ID)
		}
		return i >= 0
	})
}

func awaitStatus(ts *testscript.TestScript, run string, ok func(workflows.Status) bool) {
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(200 * time.Millisecond) {
		if ok(statusOf(ts, run)) {
			return
		}
	}
	ts.Fatalf("%s does not come to it", run)
}

// signature RUN APPROVER FILE saves the signature that the query 'verdicts'
// has of an accepted approval.
func signatureCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("temporal", "workflow", "query", "--workflow-id", args[0], "--name", "verdicts", "-o", "json"))
	var answer struct {
		QueryResult []workflows.Decisions `json:"queryResult"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &answer))
	for _, v := range answer.QueryResult[0].Recent {
		if v.Code == approvals.Accepted && v.Approver == args[1] {
			ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(v.Signature), 0o644))
			return
		}
	}
	ts.Fatalf("%s has approved nothing in %s", args[1], args[0])
}

// pages NAME… fails unless the knowledge base has these pages and no others.
func pagesCommand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("git", "-C", "kb", "ls-tree", "-r", "--name-only", "main"))
	if got := strings.Fields(ts.ReadFile("stdout")); strings.Join(got, " ") != strings.Join(args, " ") {
		ts.Fatalf("the knowledge base has %v, not %v", got, args)
	}
}
