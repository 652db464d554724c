package gitsource

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// keptRefs is where the commits stand that are in the cache as a whole.
const keptRefs = "refs/holdpoint/kept/"

func keptRef(commit string) string { return keptRefs + commit }

// Of the commits that were fetched, those that were used last are kept: an
// attempt that goes on where another one was needs the commit that was listed
// then, and a server need not give it a second time. When there are mostKept,
// those before the last fewestKept go, and what they alone had with them.
const (
	mostKept   = 100
	fewestKept = 50
)

// keep marks the commit that was fetched as one that is here as a whole, and
// returns it.
func (s *Source) keep(ctx context.Context, lock *os.File) (string, error) {
	commit, err := s.resolve(ctx, fetchedRef)
	if err != nil {
		return "", err
	}
	if _, err := s.git.Run(ctx, nil, "update-ref", keptRef(commit), commit); err != nil {
		return "", s.unusable("written", err)
	}
	s.use(commit)
	s.prune(ctx, lock, commit)
	return commit, nil
}

// use notes, where the ref is a file of its own, that a commit was used now.
func (s *Source) use(commit string) {
	now := time.Now()
	_ = os.Chtimes(filepath.Join(s.Cache, keptRef(commit)), now, now) // it only decides what is kept longer
}

// prune lets go of commits that were not used for long. Whoever still reads one
// of them may find files missing, and fetches it again. It is for the disk's
// sake: what it does not come to, the next one does.
func (s *Source) prune(ctx context.Context, lock *os.File, commit string) {
	kept, err := os.ReadDir(filepath.Join(s.Cache, keptRefs))
	if err != nil || len(kept) < mostKept {
		return
	}
	used := map[string]time.Time{}
	for _, ref := range kept {
		if info, err := ref.Info(); err == nil {
			used[ref.Name()] = info.ModTime()
		}
	}
	slices.SortFunc(kept, func(a, b fs.DirEntry) int { return used[b.Name()].Compare(used[a.Name()]) })
	git := s.git
	git.Holds = []*os.File{lock}
	for _, ref := range kept[fewestKept:] {
		if ref.Name() != commit {
			_, _ = git.Run(ctx, nil, "update-ref", "-d", keptRef(ref.Name()))
		}
	}
	_, _ = git.Run(ctx, nil, "repack", "-a", "-d", "--quiet")
	_, _ = git.Run(ctx, nil, "prune", "--expire=now") // and what is known of the borders of shallow commits
}
