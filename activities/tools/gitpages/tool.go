package gitpages

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Name is the tool's name in tasks and plans.
const Name = "gitpages"

// version changes when a plan made by an earlier one must not be carried out.
const version = "1"

// remoteSettle is how long a remote may still be at work on a push, in its
// hooks, after the one who pushed is gone.
const remoteSettle = time.Minute

// Tool writes Markdown pages to Git repositories. It is safe for concurrent
// use, also by several processes on the same repositories.
type Tool struct {
	spec  tools.Spec
	repos map[string]*repository
}

var (
	_ tools.TargetDigester = (*Tool)(nil)
	_ tools.Companion      = (*Tool)(nil)
)

// New opens the repositories. It makes those whose folder is missing or empty,
// and fails when one cannot be used, two have one name, or the git program is
// missing or older than 2.39. Its errors are permanent faults that say what to do.
func New(ctx context.Context, repos []Repo, o Options) (*Tool, error) {
	program, err := gitcli.Find(ctx, cmp.Or(o.Git, "git"))
	if err != nil {
		return nil, err
	}
	canonical, err := plan.Canonicalize(schema)
	if err != nil {
		return nil, permanent(codeParameters, "the parameter schema is no strict JSON")
	}
	t := &Tool{
		repos: make(map[string]*repository, len(repos)),
		spec: tools.Spec{
			Name:         Name,
			Version:      version,
			Class:        plan.Conditional,
			Risk:         plan.LowRisk,
			Schema:       canonical,
			SchemaDigest: plan.Sum(canonical),
			Replaces:     true, // a page has one content
			CallTimeout:  30 * time.Second,
			MaxAttempts:  10,
			Retry:        faults.DefaultRetry(),
		},
	}
	for _, cfg := range repos {
		if _, taken := t.repos[cfg.Name]; taken {
			return nil, permanent(gitcli.CodeRepository, "two repositories have the name %s", gitcli.Quote(cfg.Name))
		}
		if t.repos[cfg.Name], err = open(ctx, program, cfg, o); err != nil {
			return nil, err
		}
		if cfg.Remote != "" {
			t.spec.Settle = remoteSettle
		}
	}
	return t, nil
}

// Spec describes the tool.
func (t *Tool) Spec() tools.Spec { return t.spec }

// Prepare validates a proposed page and compares it with the branch's head.
// The target is "<repository>/<path of the page>"; the item is empty, because
// a page's path is all of its identity. The precondition is "blob:<id>" of the
// page at the head, or "absent".
func (t *Tool) Prepare(ctx context.Context, p tools.Proposal) (tools.Prepared, error) {
	params, err := parseProposed(p.Parameters)
	if err != nil {
		return tools.Prepared{}, err
	}
	if p.AllowedTarget == "" {
		return tools.Prepared{}, permanent(codeTarget, "a page's parameters do not say which of several places is meant: name one of %s",
			gitcli.Quote(strings.Join(p.AllowedTargets, ", ")))
	}
	target := p.AllowedTarget + "/" + params.Page
	r, page, err := t.resolve(target)
	if err != nil {
		return tools.Prepared{}, err
	}
	at, err := r.refs.position(ctx, "")
	if err != nil {
		return tools.Prepared{}, asFault(err)
	}
	before, err := r.inspect(ctx, at.head, page)
	if err != nil {
		return tools.Prepared{}, asFault(err)
	}
	old, err := r.content(ctx, before)
	switch {
	case errors.Is(err, gitcli.ErrOutput):
		return tools.Prepared{}, permanent(codeContent, "the page %s is too large to be compared; nobody could approve its change", gitcli.Quote(page))
	case err != nil:
		return tools.Prepared{}, asFault(err)
	}
	canonical, err := params.canonical()
	if err != nil {
		return tools.Prepared{}, err
	}
	return tools.Prepared{
		Target:       target,
		Parameters:   canonical,
		Precondition: before.precondition(),
		Preview:      preview(page, before, old, []byte(params.Content)),
	}, nil
}

// Apply commits the page, once for each key, and returns the commit's id, and
// its time, as the receipt. For the same key and content it returns the same
// receipt again, also after a crash at any point and from other processes. A
// page that is as wanted already needs no commit: the marker is set on the
// head, and the receipt names that commit.
//
// Its faults: permanent, with tools.ErrDrift as cause, when the page is no
// longer what the plan was made for; permanent "key_conflict" when the key has
// already written something else; transient when git, a lock or the network is
// in the way, and nothing was written; unknown when a ref transaction was killed
// and the refs could not be read afterwards, and when a push ended without an
// answer and the remote does not show it.
func (t *Tool) Apply(ctx context.Context, c tools.Call) (plan.Receipt, error) {
	w, err := t.newWrite(c)
	if err != nil {
		return plan.Receipt{}, err
	}
	end, err := w.repo.begin(ctx)
	if err != nil {
		return plan.Receipt{}, asFault(err)
	}
	defer end()
	return w.run(ctx)
}

// Count returns how many commits that the target's branch reaches carry the
// key in their trailer. A page that already was as wanted has none.
func (t *Tool) Count(ctx context.Context, c tools.Call) (int, error) {
	target, key := c.Action.Target, c.Action.IdempotencyKey
	r, _, err := t.resolve(target)
	if err != nil {
		return 0, err
	}
	if err := checkKey(key); err != nil {
		return 0, err
	}
	at, err := r.refs.position(ctx, "")
	if err != nil {
		return 0, asFault(err)
	}
	found, err := r.commitsFor(ctx, at.head, key)
	if err != nil {
		return 0, asFault(err)
	}
	return len(found), nil
}

// maxNames bounds a list of repositories in an error, in bytes.
const maxNames = 300

// resolve finds the repository of a target and the page's path in it.
func (t *Tool) resolve(target string) (*repository, string, error) {
	name, page, _ := strings.Cut(target, "/")
	r, ok := t.repos[name]
	if !ok {
		known := plan.Clip(strings.Join(slices.Sorted(maps.Keys(t.repos)), ", "), maxNames)
		return nil, "", permanent(codeTarget, "the worker's configuration has no repository %s; it has %s", gitcli.Quote(name), known)
	}
	if err := checkPath(page); err != nil {
		return nil, "", err
	}
	return r, page, nil
}

var idempotencyKey = regexp.MustCompile(`^[0-9a-f]{40}$`)

// checkKey keeps everything else out of the names of refs.
func checkKey(key string) error {
	if !idempotencyKey.MatchString(key) {
		return permanent(codeKey, "%s is no idempotency key; one has 40 lower-case hex digits", gitcli.Quote(key))
	}
	return nil
}
