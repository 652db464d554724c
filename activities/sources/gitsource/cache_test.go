package gitsource

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources"
)

// instead is a git that does something else for one of its commands.
func instead(t *testing.T, command, script string) func(*Settings) {
	t.Helper()
	program, err := exec.LookPath("git")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "git")
	text := "#!/bin/sh\nGIT=" + program + "\ncase \" $* \" in *\" " + command + " \"*) " + script + ";; esac\nexec $GIT \"$@\"\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	return func(s *Settings) { s.Git = file }
}

// A full disk, a limit, or permissions say nothing about the repository, and
// another attempt may not meet them.
func TestTheMachinesTroubleIsTriedAgain(t *testing.T) {
	r := newRemote(t)
	r.commit("a.md", strings.Repeat("a", 10_000))
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	for name, tc := range map[string]struct {
		change func(*Settings)
		says   string
		cause  error
	}{
		"the data folder is a file": {
			func(s *Settings) { s.Cache = filepath.Join(blocked, "sources", "handbook.git") }, "cannot be made (not a directory)", syscall.ENOTDIR,
		},
		"a full disk": {
			instead(t, "fetch", "echo 'fatal: write error: No space left on device' >&2; exit 128"), "cannot be written (No space left on device)", nil,
		},
		"no more files":        {instead(t, "fetch", "ulimit -n 6"), "cannot be written (Too many open files)", nil},
		"a disk full for init": {instead(t, "init", "echo 'fatal: cannot mkdir x: No space left on device' >&2; exit 128"), "cannot be made (No space left on device)", nil},
		"a ref that cannot be read": {
			instead(t, "rev-parse", "echo 'fatal: unable to read tree: Input/output error' >&2; exit 128"), "cannot be read (Input/output error)", nil,
		},
		"a git that is killed": {instead(t, "rev-parse", "kill -9 $$"), "cannot be read;", nil},
		"a ref that cannot be written": {
			instead(t, "update-ref", "echo 'fatal: cannot lock ref: Permission denied' >&2; exit 128"), "cannot be written (Permission denied)", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := r.source("main", tc.change)
			_, _, err := collect(t, s)
			fault, ok := errors.AsType[*faults.Fault](err)
			require.True(t, ok, err)
			require.Equal(t, faults.Transient, fault.Class)
			require.Equal(t, "git_cache", fault.Code, err)
			require.Contains(t, fault.Reason, "the repository of source \"handbook\" (the remote): its cache in the worker's data folder "+tc.says)
			require.NotContains(t, fault.Reason, filepath.Dir(s.Cache), "the machine's own path")
			require.Error(t, fault.Cause, "for the log")
			if tc.cause != nil {
				require.ErrorIs(t, err, tc.cause)
			}
		})
	}
}

func TestACacheThatCannotBeLookedInto(t *testing.T) {
	r := newRemote(t)
	r.commit("a.md", "a")
	s := r.source("main")
	_, _, err := collect(t, s)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(s.Cache))
	require.NoError(t, os.Symlink(filepath.Base(s.Cache), s.Cache)) // which no user can look into, root neither
	_, _, err = collect(t, s)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.ErrorIs(t, err, syscall.ELOOP)
	require.ErrorContains(t, err, "git_cache: ")
}

// Not every server gives a commit that no ref names.
func TestAServerThatGivesNoCommitByItsID(t *testing.T) {
	r := newRemote(t)
	old := r.commit("a.md", "old")
	kept := newShelf()
	at := interrupted(t, r.source("main"), kept, 0)
	r.git("commit", "--quiet", "--amend", "--message=y") // the old one is not even on the branch any more
	branch := r.git("rev-parse", "HEAD")
	require.NotEqual(t, old, branch)
	first := instead(t, "fetch", `exec $GIT -c protocol.version=0 "$@"`)
	_, _, err := collect(t, r.source(old, first))
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
	require.ErrorContains(t, err, "git_ref_not_given: source \"handbook\" is a repository without the commit \""+old+"\", or its server gives no commit by its id")

	m, err := sources.Collector{Limits: wide, Store: kept}.Resume(t.Context(), selectAll(r.source("main", first)), at)
	require.NoError(t, err, "what was listed is collected anew then")
	require.Equal(t, branch, m.Origins[0].Commit)
}

// Only the commits that were used last stay in the cache.
func TestOldCommitsLeaveTheCache(t *testing.T) {
	r := newRemote(t)
	s := r.source("main")
	var commits []string
	for n := range 4 {
		commits = append(commits, r.commit("a.md", strings.Repeat(strconv.Itoa(n), 1000)))
		_, _, err := collect(t, s)
		require.NoError(t, err)
		r.git("commit", "--quiet", "--allow-empty", "--message=x") // so that the next one has another parent
	}
	cache := &remote{t, s.Cache}
	long := time.Now().Add(-time.Hour)
	for n := range mostKept - len(commits) {
		name := keptRef(strings.Repeat("0", 38) + strconv.Itoa(10+n)) // as if many more had been fetched
		require.NoError(t, os.WriteFile(filepath.Join(s.Cache, name), []byte(commits[0]+"\n"), 0o600))
		require.NoError(t, os.Chtimes(filepath.Join(s.Cache, name), long, long))
	}
	for n, commit := range commits { // the first is the one that nobody used for longest
		used := long.Add(time.Duration(n-5) * time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(s.Cache, keptRef(commit)), used, used))
	}
	_, err := s.commit(t.Context(), commits[1]) // somebody goes on with it
	require.NoError(t, err)
	last := r.commit("a.md", "last")
	_, read, err := collect(t, s)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.md": "last"}, read)

	kept := strings.Fields(cache.git("for-each-ref", "--format=%(refname)", keptRefs))
	require.Len(t, kept, fewestKept)
	require.Contains(t, kept, keptRef(last))
	require.Contains(t, kept, keptRef(commits[1]))
	for _, gone := range commits[2:] {
		require.NotContains(t, kept, keptRef(gone))
		require.Error(t, exec.Command("git", "--git-dir", s.Cache, "cat-file", "-e", gone).Run(), "nor are its bytes there")
	}
	require.NoError(t, exec.Command("git", "--git-dir", s.Cache, "cat-file", "-e", commits[1]).Run())
	require.Len(t, strings.Fields(cache.git("rev-list", "--all", "--objects", "--no-object-names")), 3+3+3, "three commits, each with its tree and file")
}
