package gitsource

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// fetchedRef is what a fetch sets; whoever holds the lock reads it.
const fetchedRef = "refs/holdpoint/fetched"

// lockPause is how long one waits before trying the lock again.
const lockPause = 50 * time.Millisecond

// lock waits until nobody else fetches into the cache, makes it when it is
// missing, and removes what a git that was killed has left there. A git that
// fetches holds the lock too, so that it lasts for as long as that works, also
// when the worker that started it is gone. Closing the file ends it.
func (s *Source) lock(ctx context.Context) (_ *os.File, err error) {
	if err := os.MkdirAll(filepath.Dir(s.Cache), 0o700); err != nil {
		return nil, s.unusable("made", err)
	}
	file, err := os.OpenFile(s.Cache+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, s.unusable("locked", err)
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
			return nil, s.unusable("locked", err)
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
	_, err := os.Stat(filepath.Join(s.Cache, "HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return s.create(ctx)
	}
	if err != nil {
		return s.unusable("read", err)
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
		return s.unusable("made", err)
	}
	_, err := maker.Run(ctx, nil, "init", "--quiet", "--bare", "--template=", aside)
	if err == nil {
		err = os.Rename(aside, s.Cache)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.unusable("made", err)
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
		failed, told := errors.AsType[*gitcli.Error](err)
		switch {
		case told && has(failed, "couldn't find remote ref"):
			continue
		case told && has(failed, "not our ref", "does not allow request for unadvertised object"):
			return "", errNotGiven
		case err != nil:
			return "", err
		}
		return s.keep(ctx, lock)
	}
	return "", errNoRef
}

// has reports whether git wrote a line with some of these words.
func has(failed *gitcli.Error, some ...string) bool {
	for _, words := range some {
		if _, ok := failed.LineWith(words); ok {
			return true
		}
	}
	return false
}

// resolve returns the commit that a ref of the cache leads to. The error is
// errNoRef when the ref is missing, or of something else than a commit.
func (s *Source) resolve(ctx context.Context, ref string) (string, error) {
	commit, err := s.git.Line(ctx, nil, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	switch {
	case err == nil:
		return commit, nil
	case gitcli.ExitedWith(err, 1): // with another status it could not look
		return "", errNoRef
	default:
		return "", s.unusable("read", err)
	}
}

// codeCache is the code of a fault about the cache on this machine's disk.
const codeCache = "git_cache"

// unusable is the fault for a cache that cannot be "made", "locked", "read" or
// written. A full disk, a limit of processes or files, or permissions are this
// machine's trouble: another attempt, here or on another worker, may not meet
// it.
func (s *Source) unusable(what string, cause error) error {
	if fault, ok := errors.AsType[*faults.Fault](cause); ok {
		return fault
	}
	why := ""
	errno, named := errors.AsType[syscall.Errno](cause)
	failed, told := errors.AsType[*gitcli.Error](cause)
	switch {
	case named:
		why = " (" + errno.Error() + ")"
	case told:
		if words, ok := failed.MachineTrouble(); ok {
			why = " (" + words + ")"
		}
	}
	return &faults.Fault{
		Class: faults.Transient, Code: codeCache, Cause: cause,
		Reason: fmt.Sprintf("%s: its cache in the worker's data folder cannot be %s%s; make room there, or let the worker's user write there",
			s.who(), what, why),
	}
}
