package httpapi_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/gitea"
)

// openIssue is the example.
var openIssue = example{file: "gitea.yaml", tool: "open_issue", site: "gitea.example.com"}

// issueTimes are those that the matrix can wait for, and that a Gitea on a busy
// machine keeps.
var issueTimes = map[string]string{"call_timeout": "2s", "settle": "200ms"}

// pageSize is small, so that it is quickly full.
const pageSize = 4

// TestGitea is one server for all that is tried on it.
func TestGitea(t *testing.T) {
	server := gitea.Start(t, gitea.Options{PageSize: pageSize})
	t.Setenv("GITEA_TOKEN", server.Token())
	repository := func(t *testing.T, name string) {
		t.Helper()
		require.NoError(t, server.CreateRepository(t.Context(), name))
	}

	t.Run("Matrix", func(t *testing.T) {
		cases := 0
		kindtest.Matrix(t, func(t *testing.T) kindtest.Subject {
			cases++
			name := fmt.Sprint("matrix-", cases)
			repository(t, name)
			return issuesSubject(t, server, name)
		})
	})
	t.Run("AnIssueIsOpened", func(t *testing.T) {
		repository(t, "opened")
		anIssueIsOpened(t, server, "opened")
	})
	t.Run("TwoWorkersAtOnce", func(t *testing.T) {
		repository(t, "two-workers")
		twoWorkersOpenOneIssue(t, server, "two-workers")
	})
	t.Run("MoreThanOnePageProvesNothing", func(t *testing.T) {
		repository(t, "busy")
		aBusyRepositoryProvesNothing(t, server, "busy")
	})
	t.Run("ARepositoryThatIsGoneProvesNothing", func(t *testing.T) {
		found := findIssue(t, openIssue.open(t, server.Address()), issue("gone", "INC-7"))
		require.Equal(t, tools.NotProven, found.Presence)
	})
}

func issuesSubject(t *testing.T, server *gitea.Server, repository string) kindtest.Subject {
	link := kindtest.NewLink(t, server.Address())
	tool := openIssue.with(issueTimes).open(t, link.Addr())
	return kindtest.Subject{
		Tool: tool,
		Link: link,
		Sent: `"title":"Disk full"}`, // the body's end
		Action: func(key string, payload int) plan.Action {
			a := matrixAction(tool, "gitea/holdpoint/"+repository, key, "", map[string]string{
				"owner": gitea.Owner, "repo": repository, "reference": key, "title": "Disk full", "text": fmt.Sprintf("db-%d", payload),
			})
			a.IdempotencyKey = key
			return a
		},
		Effects: func(tb testing.TB, key string) int {
			found, err := server.Issues(tb.Context(), repository, key)
			require.NoError(tb, err)
			return len(found)
		},
	}
}

// issue is the parameters of an issue.
func issue(repository, reference string) map[string]string {
	return map[string]string{
		"owner": gitea.Owner, "repo": repository, "reference": reference, "title": "Disk full", "text": "On db-3, since *Monday*.",
	}
}

func anIssueIsOpened(t *testing.T, server *gitea.Server, repository string) {
	tool := openIssue.open(t, server.Address())
	action := proposed(t, tool, "gitea/holdpoint/"+repository, issue(repository, "INC-7"))
	require.Equal(t, "gitea/holdpoint/"+repository, action.Target)
	require.Equal(t, "INC-7", action.Item)
	require.Contains(t, action.Preview, "On db-3, since *Monday*.")
	require.NotContains(t, action.Preview, server.Token())

	out, err := newWorker(t, tool).run(t.Context(), action)
	require.NoError(t, err)
	require.Equal(t, "1", out.Receipt.Ref)
	require.Equal(t, server.URL()+"/holdpoint/"+repository+"/issues/1", out.Receipt.Detail)
	require.Equal(t, 1, count(t, tool, action))

	made, err := server.Issues(t.Context(), repository, "")
	require.NoError(t, err)
	require.Equal(t, []gitea.Issue{{
		Number: 1, Title: "Disk full",
		Body: "On db-3, since *Monday*.\n\n<!-- holdpoint " + action.IdempotencyKey + " -->",
	}}, made)
}

// The target keeps nothing away here; the ledger that the two share does.
func twoWorkersOpenOneIssue(t *testing.T, server *gitea.Server, repository string) {
	tool := openIssue.open(t, server.Address())
	action := proposed(t, tool, "gitea/holdpoint/"+repository, issue(repository, "INC-7"))
	first := newWorker(t, tool)
	second := &worker{protocol: first.protocol, tool: tool}
	second.protocol.Owner = "another worker"

	outs, errs := make([]effects.Outcome, 2), make([]error, 2)
	var both sync.WaitGroup
	for i, w := range []*worker{first, second} {
		both.Go(func() { outs[i], errs[i] = w.run(t.Context(), action) })
	}
	both.Wait()
	done := 0
	for i, err := range errs {
		if err == nil {
			require.Equal(t, "1", outs[i].Receipt.Ref)
			done++
			continue
		}
		require.Equal(t, faults.InProgress, faults.ClassOf(err), "%v", err)
	}
	require.Positive(t, done)
	found, err := server.Issues(t.Context(), repository, action.IdempotencyKey)
	require.NoError(t, err)
	require.Len(t, found, 1)
}

// What is on the first page is found; what is not there may be on the next.
func aBusyRepositoryProvesNothing(t *testing.T, server *gitea.Server, repository string) {
	tool := openIssue.open(t, server.Address())
	open := func(n int) {
		for i := range n {
			_, err := server.CreateIssue(t.Context(), repository, fmt.Sprint("other ", i), "by somebody else")
			require.NoError(t, err)
		}
	}
	require.Equal(t, tools.Absent, findIssue(t, tool, issue(repository, "INC-7")).Presence)

	action := proposed(t, tool, "gitea/holdpoint/"+repository, issue(repository, "INC-7"))
	_, err := newWorker(t, tool).run(t.Context(), action)
	require.NoError(t, err)
	open(pageSize - 1)
	require.Equal(t, tools.Absent, findIssue(t, tool, issue(repository, "INC-8")).Presence, "they are all on one page")
	found := findIssue(t, tool, issue(repository, "INC-7"))
	require.Equal(t, tools.Found, found.Presence)
	require.Equal(t, "1", found.Receipt.Ref)

	open(1)
	require.Equal(t, tools.NotProven, findIssue(t, tool, issue(repository, "INC-8")).Presence)
	require.Equal(t, tools.NotProven, findIssue(t, tool, issue(repository, "INC-7")).Presence, "it is on the next page")
}

// findIssue asks for the effect of an action whose call began just now.
func findIssue(t *testing.T, tool tools.Tool, parameters map[string]string) tools.Finding {
	t.Helper()
	call := callOf(proposed(t, tool, "gitea/holdpoint/"+parameters["repo"], parameters))
	call.InDoubt, call.FirstSent = true, time.Now()
	found, err := tool.(tools.Finder).Find(t.Context(), call)
	require.NoError(t, err)
	return found
}
