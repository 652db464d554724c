package gitpages

import (
	"cmp"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// Repo is one knowledge base, as the worker's configuration names it.
type Repo struct {
	// Name is what tasks and targets call it: letters, digits, '.', '_', '-'.
	Name string
	// Path is the folder: a repository with a work tree, or a bare one. A
	// folder that is missing or empty becomes a repository with a work tree. With
	// a Remote it is a bare repository, made when it is missing, and a cache.
	Path string
	// Place is where the repository is, as people have written it: Remote or Path,
	// before it was made absolute. Plans are bound to it, and are the same on every
	// machine when it is. Remote, or else Path, when empty.
	Place string
	// Remote is the repository that is read and written instead, by fetch and
	// push: a URL (https, ssh, file), user@host:path, or a path. It has no
	// password and no query. Unencrypted http and git are for loopback addresses.
	Remote string
	// CredentialHelper is git's credential.helper for the remote.
	CredentialHelper string
	// Branch is the branch that is written; "main" when empty.
	Branch string
	// AuthorName and AuthorEmail sign the commits; "Holdpoint" and
	// "holdpoint@localhost" when empty.
	AuthorName, AuthorEmail string
}

// Options are common to all repositories. The zero value is ready to use.
type Options struct {
	// Git is the git program, a name on the PATH or a path; "git" when empty.
	Git string
	// Patience is how long one Apply goes on while Git refuses to move the
	// refs and nobody else moves them either; 5 s when zero.
	Patience time.Duration
	// PushTimeout is how long one push to a remote may take; 15 s when zero.
	// It should leave an Apply the time to look what became of it.
	PushTimeout time.Duration
}

const (
	defaultBranch      = "main"
	defaultAuthor      = "Holdpoint"
	defaultEmail       = "holdpoint@localhost"
	defaultPatience    = 5 * time.Second
	defaultPushTimeout = 15 * time.Second
)

var repoName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// withDefaults fills in what is empty and checks what is not.
func (r Repo) withDefaults() (Repo, error) {
	if !repoName.MatchString(r.Name) {
		return Repo{}, permanent(gitcli.CodeRepository, "the name %s is not made of letters, digits, '.', '_' and '-'", gitcli.Quote(r.Name))
	}
	if r.Path == "" {
		return Repo{}, permanent(gitcli.CodeRepository, "repository %s has no path", r.Name)
	}
	r.Branch = cmp.Or(r.Branch, defaultBranch)
	r.Place = cmp.Or(r.Place, r.Remote, r.Path)
	r.AuthorName = cmp.Or(r.AuthorName, defaultAuthor)
	r.AuthorEmail = cmp.Or(r.AuthorEmail, defaultEmail)
	for _, text := range []string{r.AuthorName, r.AuthorEmail} {
		if strings.ContainsAny(text, "<>") || strings.ContainsFunc(text, unicode.IsControl) {
			return Repo{}, permanent(gitcli.CodeRepository,
				"repository %s: the author %s has characters that a commit cannot carry", r.Name, gitcli.Quote(text))
		}
	}
	return r, nil
}
