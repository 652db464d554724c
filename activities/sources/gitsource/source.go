// Package gitsource reads documents from a branch, a tag or a commit of a Git
// repository, as of the moment at which they are listed: the manifest names the
// commit, and every file is read from it.
//
// Of the repository one commit without its history is fetched, into a bare
// cache of the worker's own. Nothing is checked out, so no filter, hook or
// attribute of the repository comes to run; links and submodules are listed
// and not followed.
package gitsource

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/workflows"
)

// Settings say which repository is read.
type Settings struct {
	Name string // of the source, for error texts
	// URL is where the repository is: https, ssh, user@host:path, or a path. It
	// holds no password.
	URL string
	// Ref is a branch, a tag, a full ref or the whole id of a commit. A branch
	// goes before a tag of the same name. Empty stands for the branch that the
	// repository itself names, its HEAD.
	Ref string
	// CredentialHelper is git's credential.helper for the repository.
	CredentialHelper string
	Cache            string        // folder; it may be removed while no worker runs
	Timeout          time.Duration // of one fetch; 0 stands for five minutes
	Git              string        // the program; empty for "git"
}

const defaultTimeout = 5 * time.Minute

// Source is a repository. It is safe for concurrent use, also by several
// processes with one cache.
type Source struct {
	Settings

	git     gitcli.Git
	net     gitcli.Git
	address gitcli.Address
	wanted  []string // the refs that Ref may stand for, the first one found is it
}

// New checks the settings. Nothing is fetched, and the cache is made when it is
// needed. The error is a *faults.Fault, or a text that does not repeat the URL.
func New(ctx context.Context, s Settings) (*Source, error) {
	address, wrong := gitcli.ParseAddress(s.URL)
	if s.URL == "" {
		wrong = "is missing"
	}
	if wrong != "" {
		return nil, fmt.Errorf("source %s: its url %s", s.Name, wrong)
	}
	if s.Timeout == 0 {
		s.Timeout = defaultTimeout
	}
	if s.Git == "" {
		s.Git = "git"
	}
	program, err := gitcli.Find(ctx, s.Git)
	if err != nil {
		return nil, err
	}
	if s.Cache, err = filepath.Abs(s.Cache); err != nil {
		return nil, fmt.Errorf("source %s: its cache has no absolute path", s.Name)
	}
	src := &Source{Settings: s, address: address, wanted: refsOf(s.Ref)}
	src.git = gitcli.Git{Program: program, GitDir: s.Cache, Cwd: os.TempDir(), Label: s.Name}
	src.net = src.git.Network(address.Scheme, s.CredentialHelper)
	// A pack is there as a whole or not at all.
	src.net.Config = append(slices.Clip(src.net.Config), "-c", "fetch.unpackLimit=1")
	for _, ref := range src.wanted {
		if isCommit(ref) || ref == "HEAD" {
			continue
		}
		if _, err := (gitcli.Git{Program: program}).Run(ctx, nil, "check-ref-format", ref); err != nil {
			return nil, fmt.Errorf("source %s: its ref %s is no name for a branch or tag", s.Name, gitcli.Quote(s.Ref))
		}
	}
	return src, nil
}

var commitID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

func isCommit(ref string) bool { return commitID.MatchString(ref) }

func refsOf(ref string) []string {
	switch {
	case ref == "" || ref == "HEAD":
		return []string{"HEAD"}
	case isCommit(ref) || strings.HasPrefix(ref, "refs/"):
		return []string{ref}
	default:
		return []string{"refs/heads/" + ref, "refs/tags/" + ref}
	}
}

// Kind implements sources.Source.
func (*Source) Kind() string { return workflows.SourceGit }

// Open implements sources.Source. The moment is the commit.
func (s *Source) Open(ctx context.Context, o sources.Opening) (sources.Tree, error) {
	limited, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	commit, err := s.commit(limited, o.Moment)
	switch {
	case err == nil:
		return &tree{source: s, commit: commit}, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, &faults.Fault{
			Class: faults.Transient, Code: "git_timeout", Cause: err,
			Reason: fmt.Sprintf("%s was not fetched within %s", s.who(), s.Timeout),
		}
	case o.Moment != "" && (errors.Is(err, errNoRef) || errors.Is(err, errNotGiven)):
		return nil, sources.ErrGone
	default:
		return nil, s.named(err)
	}
}

// commit returns the commit that is asked for, and sees to it that all of it is
// in the cache.
func (s *Source) commit(ctx context.Context, moment string) (string, error) {
	lock, err := s.lock(ctx)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if moment == "" {
		return s.fetch(ctx, lock, s.wanted)
	}
	if !isCommit(moment) {
		return "", errNoRef
	}
	_, err = s.resolve(ctx, keptRef(moment))
	if errors.Is(err, errNoRef) {
		return s.fetch(ctx, lock, []string{moment})
	}
	s.use(moment)
	return moment, err
}

var (
	// errNoRef says that the repository has nothing of that name.
	errNoRef = errors.New("not at the remote")
	// errNotGiven says that the server does not give the commit of an id: it has
	// none, or gives only what a ref names (uploadpack.allowReachableSHA1InWant in
	// git-config(1)).
	errNotGiven = errors.New("not given by the remote")
)

// named gives an error its class.
func (s *Source) named(err error) error {
	fault, isNamed := errors.AsType[*faults.Fault](err)
	failed, told := errors.AsType[*gitcli.Error](err)
	switch {
	case isNamed:
		return fault
	case errors.Is(err, errNoRef):
		return &folder.Problem{Code: "git_ref_missing", Reason: fmt.Sprintf(
			"is a repository without the branch, tag or commit %s; correct ref in the worker's configuration", gitcli.Quote(s.Ref))}
	case errors.Is(err, errNotGiven):
		return &folder.Problem{Code: "git_ref_not_given", Reason: fmt.Sprintf(
			"is a repository without the commit %s, or its server gives no commit by its id; correct ref in the worker's configuration, "+
				"or name a branch or tag there", gitcli.Quote(s.Ref))}
	case !told:
		return err
	case isBroken(failed):
		return errBroken
	}
	if fault, ok := s.address.BeforeContact(s.who(), failed); ok {
		return fault
	}
	if _, ok := failed.MachineTrouble(); ok {
		return s.unusable("written", err)
	}
	return s.address.Unread(s.who(), failed)
}

// who names the repository in error texts.
func (s *Source) who() string {
	return fmt.Sprintf("the repository of source %q (%s)", s.Name, s.address)
}
