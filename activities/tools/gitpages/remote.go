package gitpages

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// remoteRefs are the refs at a remote. The repository here is a cache of its
// commits: what it holds is never taken for what the remote holds.
type remoteRefs struct {
	*repository
	net         gitcli.Git
	address     gitcli.Address
	pushTimeout time.Duration
	fetching    chan struct{} // holds one token while this process fetches
}

// fetchRounds bounds how often a fetch is tried that another process, with the
// same cache, gets in the way of.
const fetchRounds = 10

// cachedRef is the branch as it was last fetched or pushed, with all of its
// history.
func (m *remoteRefs) cachedRef() string { return "refs/remotes/origin/" + m.Branch }

func (m *remoteRefs) position(ctx context.Context, key string) (position, error) {
	wanted := []string{m.branchRef()}
	if key != "" {
		wanted = append(wanted, markerRef(key))
	}
	for round := range fetchRounds {
		listed, err := m.list(ctx, wanted...)
		if err != nil {
			return position{}, err
		}
		at := position{marker: listed[markerRef(key)], head: listed[m.branchRef()]}
		if at.head == "" {
			if err := m.checkUnborn(ctx); err != nil {
				return position{}, err
			}
		}
		if here, err := m.bring(ctx, key, at); err != nil || here {
			return at, err
		}
		if !pause(ctx, round) {
			return position{}, ctx.Err()
		}
	}
	return position{}, transient(codeRemoteMoving, nil, "the refs of %s moved each time that they were fetched", m.who())
}

// list asks the remote for the refs of these names that it has.
func (m *remoteRefs) list(ctx context.Context, names ...string) (map[string]string, error) {
	out, err := m.net.Run(ctx, nil, append([]string{"ls-remote", "--refs", m.address.Text}, names...)...)
	if err != nil {
		return nil, m.unreadable(err)
	}
	found := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		// A name is also asked for as the end of others.
		if slices.Contains(names, name) || slices.Contains(names, allBranches) {
			found[name] = id
		}
	}
	return found, nil
}

// allBranches is a name for all of them, as ls-remote takes it.
const allBranches = "refs/heads/*"

// checkUnborn refuses a remote that has branches but not this one, as
// checkBranch does for a repository.
func (m *remoteRefs) checkUnborn(ctx context.Context) error {
	branches, err := m.list(ctx, allBranches)
	if err != nil {
		return err
	}
	if _, born := branches[m.branchRef()]; born || len(branches) == 0 {
		return nil // born just now: the branch is not what it was read as, and no push is taken for that
	}
	var names []string
	for name := range branches {
		names = append(names, strings.TrimPrefix(name, "refs/heads/"))
	}
	slices.Sort(names)
	return permanent(gitcli.CodeRepository, "%s has no branch %s, but has %s; name the branch in the configuration",
		m.who(), gitcli.Quote(m.Branch), gitcli.Quote(strings.Join(names, ", ")))
}

// bring makes sure that what a position names is in the cache, with all its
// history. It reports false when somebody else's fetch or a push got in the
// way.
func (m *remoteRefs) bring(ctx context.Context, key string, at position) (bool, error) {
	if m.holds(ctx, key, at) {
		return true, nil
	}
	select {
	case m.fetching <- struct{}{}:
		defer func() { <-m.fetching }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	args := []string{
		"fetch", "--quiet", "--no-tags", "--no-auto-maintenance", "--no-write-fetch-head", m.address.Text,
	}
	if at.head != "" {
		args = append(args, "+"+m.branchRef()+":"+m.cachedRef())
	}
	if at.marker != "" {
		args = append(args, "+"+markerRef(key)+":"+markerRef(key))
	}
	_, err := m.net.Run(ctx, nil, args...)
	switch {
	case m.holds(ctx, key, at):
		return true, nil
	case err == nil || meansRace(err):
		return false, nil
	default:
		return false, m.unreadable(err)
	}
}

// holds reports whether the cache has what a position names. That a commit is
// there does not suffice: a fetch that was killed may have left it without its
// history. A ref is set only when all that it reaches is there.
func (m *remoteRefs) holds(ctx context.Context, key string, at position) bool {
	whole := []string{m.cachedRef()}
	if at.marker != "" {
		whole = append(whole, markerRef(key))
	}
	for _, id := range []string{at.head, at.marker} {
		if id == "" {
			continue
		}
		out, err := m.git.Run(ctx, nil, append([]string{"for-each-ref", "--count=1", "--format=%(refname)", "--contains=" + id}, whole...)...)
		if err != nil || len(out) == 0 {
			return false
		}
	}
	return true
}

// move is one push, of the branch and the marker together. It is never
// repeated here: of a push without an answer nobody knows whether it arrives.
func (m *remoteRefs) move(ctx context.Context, key string, from, to position) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	net := m.net
	net.Config = slices.Concat(net.Config, pushSettings)
	args := []string{"push", "--porcelain", "--atomic", "--no-verify"}
	var updates []string
	for _, ref := range []struct{ name, from, to string }{
		{m.branchRef(), from.head, to.head},
		{markerRef(key), from.marker, to.marker},
	} {
		if ref.from == ref.to {
			continue // git compares only what it is to change
		}
		args = append(args, "--force-with-lease="+ref.name+":"+ref.from)
		updates = append(updates, ref.to+":"+ref.name)
	}
	limited, cancel := context.WithTimeout(ctx, m.pushTimeout)
	defer cancel()
	_, err := net.Run(limited, nil, slices.Concat(args, []string{m.address.Text}, updates)...)
	if err != nil {
		return m.unpushed(err)
	}
	if from.head != to.head {
		// Spares a fetch. The next one sets it otherwise.
		_, _ = m.git.Run(ctx, nil, "update-ref", m.cachedRef(), to.head)
	}
	return nil
}

func (m *remoteRefs) stuck(_ string, lost *lostError) *faults.Fault {
	return transient(codeRefsLocked, lost, "%s, and nobody moved them: another push is at work there, or a crash left a lock", lost)
}

// who names the remote in error texts.
func (m *remoteRefs) who() string {
	who := "the remote of repository " + m.Name
	if m.address.Host != "" {
		who += fmt.Sprintf(" (%s)", m.address)
	}
	return who
}
