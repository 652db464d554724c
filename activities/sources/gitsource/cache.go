package gitsource

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// fetchedRef is what a fetch sets; whoever holds the lock reads it.
const fetchedRef = "refs/holdpoint/fetched"

// keptRef marks a commit that is in the cache as a whole.
func keptRef(commit string) string { return "refs/holdpoint/kept/" + commit }

// lockPause is how long one waits before trying the lock again.
const lockPause = 50 * time.Millisecond

// lock waits until nobody else fetches into the cache, makes it when it is
// missing, and removes what a git that was killed has left there. A git that
// fetches holds the lock too, so that it lasts for as long as that works, also
// when the worker that started it is gone. Closing the file ends it.
func (s *Source) lock(ctx context.Context) (_ *os.File, err error) {
	if err := os.MkdirAll(filepath.Dir(s.Cache), 0o700); err != nil {
		return nil, s.unusable("its cache cannot be made")
	}
	file, err := os.OpenFile(s.Cache+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, s.unusable("its cache cannot be locked")
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, s.prepare(ctx)
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, s.unusable("its cache cannot be locked")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// prepare makes the cache, or tidies it up.
func (s *Source) prepare(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.Cache, "HEAD")); err != nil {
		return s.create(ctx)
	}
	for _, left := range []string{"*.lock", "refs/holdpoint/*.lock", "refs/holdpoint/kept/*.lock", "objects/pack/tmp_*", "objects/??/tmp_*"} {
		files, err := filepath.Glob(filepath.Join(s.Cache, left))
		if err != nil {
			return err
		}
		for _, file := range files {
			_ = os.Remove(file) // git says so, if it is in its way
		}
	}
	return nil
}

// create makes the cache aside and moves it into place in one step, so that one
// that is there is whole.
func (s *Source) create(ctx context.Context) error {
	aside := s.Cache + ".new"
	maker := s.git
	maker.GitDir = ""
	if err := os.RemoveAll(aside); err != nil {
		return s.unusable("its cache cannot be made")
	}
	_, err := maker.Run(ctx, nil, "init", "--quiet", "--bare", "--template=", aside)
	if err == nil {
		err = os.Rename(aside, s.Cache)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.unusable("its cache cannot be made")
	default:
		return nil
	}
}

// fetch brings the first of the refs that the repository has.
func (s *Source) fetch(ctx context.Context, lock *os.File, refs []string) (string, error) {
	net := s.net
	net.Holds = []*os.File{lock}
	for _, ref := range refs {
		_, err := net.Run(ctx, nil, "fetch", "--quiet", "--depth=1", "--update-shallow", "--no-tags", "--no-auto-maintenance",
			"--no-write-fetch-head", "--no-recurse-submodules", s.address.Text, "+"+ref+":"+fetchedRef)
		if failed, ok := errors.AsType[*gitcli.Error](err); ok && hasNone(failed) {
			continue
		}
		if err != nil {
			return "", err
		}
		commit, err := s.git.Line(ctx, nil, "rev-parse", "--verify", "--quiet", fetchedRef+"^{commit}")
		if err != nil {
			return "", errNoRef
		}
		_, err = s.git.Run(ctx, nil, "update-ref", keptRef(commit), commit)
		return commit, err
	}
	return "", errNoRef
}

// hasNone reports whether a fetch failed because the repository has nothing of
// that name, or does not give it away.
func hasNone(failed *gitcli.Error) bool {
	for _, words := range []string{"couldn't find remote ref", "not our ref", "does not allow request for unadvertised object"} {
		if _, ok := failed.LineWith(words); ok {
			return true
		}
	}
	return false
}

func (s *Source) unusable(why string) error {
	return &faults.Fault{Class: faults.Permanent, Code: gitcli.CodeRepository, Reason: fmt.Sprintf("%s: %s", s.who(), why)}
}
