package gitpages_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// together calls f(0) … f(n-1) at once and returns what they returned.
func together(n int, f func(i int) (plan.Receipt, error)) ([]plan.Receipt, []error) {
	receipts, errs := make([]plan.Receipt, n), make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			receipts[i], errs[i] = f(i)
		})
	}
	close(start)
	all.Wait()
	return receipts, errs
}

func requireAllDone(t *testing.T, errs []error) {
	t.Helper()
	for i, err := range errs {
		require.NoError(t, err, "%d", i)
	}
}

func TestParallelPagesAreAllWritten(t *testing.T) {
	tests := []struct {
		name    string
		workers int // each with its own Tool, as in its own process
	}{
		{"one worker", 1},
		{"five workers", 5},
	}
	const pages = 20
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBase(t)
			b.person("seed.md", "seed\n")
			var calls []tools.Call
			for i := range pages {
				calls = append(calls, b.plan(fmt.Sprintf("topics/%d/page.md", i), fmt.Sprintf("page %d\n", i)))
			}
			var workers []*gitpages.Tool
			for range tt.workers {
				workers = append(workers, newTool(t, b.path, gitpages.Options{}))
			}

			ctx := eventually(t)
			receipts, errs := together(pages, func(i int) (plan.Receipt, error) {
				return workers[i%len(workers)].Apply(ctx, calls[i])
			})
			requireAllDone(t, errs)

			require.Equal(t, pages+1, b.commits())
			require.Empty(t, b.git("rev-list", "--merges", "main"))
			for i, call := range calls {
				page := fmt.Sprintf("topics/%d/page.md", i)
				require.Equal(t, page, b.git("diff-tree", "--no-commit-id", "--name-only", "-r", receipts[i].Ref))
				require.Equal(t, fmt.Sprintf("page %d", i), b.git("show", "main:"+page))
				require.Equal(t, fmt.Sprintf("page %d\n", i), b.file(page))
				require.Equal(t, 1, b.count(page, keyOf(call)))
				require.Equal(t, receipts[i].Ref, b.marker(keyOf(call)))
			}
			require.Empty(t, b.git("status", "--porcelain"), "the work tree is what the head is")
		})
	}
}

func TestOneKeyRacedByManyWorkersIsOneCommit(t *testing.T) {
	const workers = 32
	b := newBase(t)
	b.person("page.md", "old\n")
	call := b.plan("page.md", "new\n")
	var rivals []*gitpages.Tool
	for range workers {
		rivals = append(rivals, newTool(t, b.path, gitpages.Options{}))
	}
	ctx := eventually(t)
	receipts, errs := together(workers, func(i int) (plan.Receipt, error) { return rivals[i].Apply(ctx, call) })
	requireAllDone(t, errs)
	for _, receipt := range receipts {
		require.Equal(t, receipts[0], receipt)
	}
	require.Equal(t, 2, b.commits())
	require.Equal(t, 1, b.count("page.md", keyOf(call)))
	require.Equal(t, "new\n", b.file("page.md"))
	require.Empty(t, b.git("status", "--porcelain"))
}

func TestOneKeyRacedByProcessesIsOneCommit(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "new\n")
	receipts, errs := together(4, func(int) (plan.Receipt, error) {
		cmd := worker(t, b.path, call)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return plan.Receipt{}, err
		}
		var receipt plan.Receipt
		return receipt, json.Unmarshal(out, &receipt)
	})
	requireAllDone(t, errs)
	for _, receipt := range receipts {
		require.Equal(t, receipts[0], receipt)
	}
	require.Equal(t, 1, b.commits())
	require.Equal(t, 1, b.count("page.md", keyOf(call)))
}

func TestProgressOfOthersIsNoReasonToGiveUp(t *testing.T) {
	const colleagues = 5
	b := newBase(t)
	b.person("seed.md", "seed\n")
	call := b.plan("page.md", "text\n")
	// Right before each of the first transactions a colleague is quicker, and
	// each round takes longer than the patience.
	count := filepath.Join(t.TempDir(), "count")
	tool := newTool(t, b.path, gitpages.Options{Patience: time.Nanosecond, Git: onUpdateRef(t,
		fmt.Sprintf(`if [ "$(cat %[1]s 2>/dev/null | wc -c)" -lt %[2]d ]; then
printf x >>%[1]s
%[3]s update-ref refs/heads/main "$(%[3]s commit-tree -p refs/heads/main -m theirs 'refs/heads/main^{tree}')"
fi
exec %[3]s "$@"`, count, colleagues, realGit(t)))})
	_, err := tool.Apply(eventually(t), call)
	require.NoError(t, err)
	require.Equal(t, 1+colleagues+1, b.commits())
	require.Equal(t, 1, b.count("page.md", keyOf(call)))
}

func TestWorkersThatStartAtOnceShareANewRepository(t *testing.T) {
	needGit(t)
	path := filepath.Join(t.TempDir(), "kb")
	started := make([]*gitpages.Tool, 8)
	_, errs := together(len(started), func(i int) (_ plan.Receipt, err error) {
		started[i], err = gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: path}}, gitpages.Options{})
		return plan.Receipt{}, err
	})
	requireAllDone(t, errs)
	b := &base{t: t, path: path, tool: started[0]}
	b.write("page.md", "text\n")
	require.Empty(t, b.git("status", "--porcelain", "--ignored"))
}

// TestPeoplePushMeanwhile lets a person commit and push with plain git while a
// worker writes; neither loses anything, and nobody forces.
func TestPeoplePushMeanwhile(t *testing.T) {
	const each = 10
	b := newBase(t)
	b.person("seed.md", "seed\n")
	b.git("config", "receive.denyCurrentBranch", "ignore")
	var calls []tools.Call
	for i := range each {
		calls = append(calls, b.plan(fmt.Sprintf("tool/%d.md", i), "tool\n"))
	}
	clone := &base{t: t, path: t.TempDir()}
	clone.git("clone", "--quiet", b.path, ".")

	ctx := eventually(t)
	var errs []error
	var worker sync.WaitGroup
	worker.Go(func() {
		_, errs = together(each, func(i int) (plan.Receipt, error) { return b.tool.Apply(ctx, calls[i]) })
	})
	for i := range each {
		clone.person(fmt.Sprintf("person/%d.md", i), "person\n")
		for {
			clone.git("pull", "--quiet", "--rebase", "origin", "main")
			if _, err := clone.tryGit("", "push", "--quiet", "origin", "main"); err == nil {
				break
			}
			require.NoError(t, ctx.Err())
		}
	}
	worker.Wait()
	requireAllDone(t, errs)
	require.Equal(t, 1+2*each, b.commits())
	require.Len(t, strings.Split(b.git("ls-tree", "-r", "--name-only", "main"), "\n"), 1+2*each)
}
