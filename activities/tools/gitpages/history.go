package gitpages

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// commit is what this tool reads of a commit.
type commit struct {
	id      string
	parents []string
	at      time.Time // the committer's time, UTC
	keys    []string  // the values of its Holdpoint-Key trailers
}

// wrote reports whether the commit was made for key, rather than only being
// the head at which the page already was as wanted.
func (c commit) wrote(key string) bool { return slices.Contains(c.keys, key) }

// parent is the first parent's id, "" for a root commit.
func (c commit) parent() string {
	if len(c.parents) == 0 {
		return ""
	}
	return c.parents[0]
}

// commit reads one commit.
func (r *repository) commit(ctx context.Context, id string) (commit, error) {
	found, err := r.log(ctx, "--no-walk", id)
	if err != nil {
		return commit{}, err
	}
	if len(found) != 1 {
		return commit{}, fmt.Errorf("git log answered with %d commits for one", len(found))
	}
	return found[0], nil
}

// commitsFor returns the commits reachable from head that carry key as their
// trailer, newest first.
func (r *repository) commitsFor(ctx context.Context, head, key string) ([]commit, error) {
	if head == "" {
		return nil, nil
	}
	made, err := r.trailers.of(ctx, r.git, head, key)
	if err != nil {
		return nil, err
	}
	var on []string
	for _, id := range made {
		switch is, err := r.contains(ctx, head, id); {
		case is:
			on = append(on, id)
		case err != nil && !r.collected(ctx, id):
			return nil, err
		}
	}
	if len(on) == 0 {
		return nil, nil
	}
	return r.log(ctx, append([]string{"--no-walk"}, on...)...)
}

// contains reports whether id is head or one of its ancestors.
func (r *repository) contains(ctx context.Context, head, id string) (bool, error) {
	if head == "" || head == id {
		return head == id, nil
	}
	_, err := r.git.Run(ctx, nil, "merge-base", "--is-ancestor", id, head)
	if gitcli.ExitedWith(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// collected reports whether a commit that once was read is garbage by now.
func (r *repository) collected(ctx context.Context, id string) bool {
	_, err := r.git.Run(ctx, nil, "cat-file", "-e", id)
	return gitcli.ExitedWith(err, 1)
}

func (r *repository) log(ctx context.Context, args ...string) ([]commit, error) {
	command := []string{"log", "-z", "--no-color", "--no-show-signature", "--encoding=UTF-8", "--format=tformat:%H%x00%P%x00%ct%x00%B"}
	out, err := r.git.Run(ctx, nil, append(append(command, args...), "--")...)
	if err != nil {
		return nil, err
	}
	return parseLog(string(out))
}

// parseLog reads records of four fields, each ended by a NUL.
func parseLog(out string) ([]commit, error) {
	const fieldsEach = 4
	fields := strings.Split(out, "\x00")
	fields = fields[:len(fields)-1] // what follows the last NUL is empty
	if len(fields)%fieldsEach != 0 {
		return nil, fmt.Errorf("git log answered %d fields", len(fields))
	}
	var commits []commit
	for record := range slices.Chunk(fields, fieldsEach) {
		seconds, err := strconv.ParseInt(record[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git log: a commit's time: %w", err)
		}
		commits = append(commits, commit{
			id:      record[0],
			parents: strings.Fields(record[1]),
			at:      time.Unix(seconds, 0).UTC(),
			keys:    keysIn(record[3]),
		})
	}
	return commits, nil
}
