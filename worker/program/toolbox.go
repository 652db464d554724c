package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/internal/config"
)

// toolbox is all the tools that a worker has.
type toolbox struct {
	*tools.Registry
	all []tools.Tool // repositories first, then the declared ones as in the file, then Go's
}

// openTools makes the tools of a configuration and those written in Go. Of the
// repositories it opens repos, and makes those that are missing; whoever only
// looks gives none. It connects to no target. Its error names every mistake.
func openTools(ctx context.Context, cfg config.Config, repos []gitpages.Repo, goTools []ToolMaker) (_ *toolbox, err error) {
	box := &toolbox{}
	defer func() {
		if err != nil {
			err = errors.Join(err, box.Close())
		}
	}()
	if err := errors.Join(box.addPages(ctx, cfg, repos), box.addDeclared(cfg.Tools), box.addGo(ctx, goTools)); err != nil {
		return nil, err
	}
	if len(box.all) == 0 {
		return nil, errors.New("nothing to write with: declare a tool in the configuration (tools:), " +
			"or name a repository there (repositories:) or with --repository NAME=FOLDER")
	}
	if box.Registry, err = tools.NewRegistry(box.all...); err != nil {
		return nil, err
	}
	return box, nil
}

func (t *toolbox) addPages(ctx context.Context, cfg config.Config, repos []gitpages.Repo) error {
	if len(cfg.Repositories) == 0 {
		return nil
	}
	pages, err := gitpages.New(ctx, repos, gitpages.Options{})
	if err != nil {
		return err
	}
	t.all = append(t.all, pages)
	return nil
}

// addDeclared reports every declaration that is wrong, not the first alone.
func (t *toolbox) addDeclared(declarations config.Tools) error {
	var errs []error
	for _, d := range declarations {
		tool, err := declared.New(d.Name, d.File, d.Node, kinds())
		if err != nil {
			errs = append(errs, err)
			continue
		}
		t.all = append(t.all, tool)
	}
	return errors.Join(errs...)
}

func (t *toolbox) addGo(ctx context.Context, makers []ToolMaker) error {
	var errs []error
	for i, makeTool := range makers {
		tool, err := makeTool(ctx)
		if err == nil {
			err = checkGoTool(tool)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("tool %d that is written in Go: %w", i+1, err))
			continue
		}
		t.all = append(t.all, tool)
	}
	return errors.Join(errs...)
}

// Close gives back what the tools hold.
func (t *toolbox) Close() error {
	var errs []error
	for _, tool := range t.all {
		if closer, ok := tool.(io.Closer); ok {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(errs...)
}

func repositories(cfg config.Config) []gitpages.Repo {
	var repos []gitpages.Repo
	for name, r := range cfg.Repositories {
		repos = append(repos, gitpages.Repo{
			Name: name, Path: r.Path, Place: r.Place, Branch: r.Branch, Remote: r.Remote, CredentialHelper: r.CredentialHelper,
		})
	}
	slices.SortFunc(repos, func(a, b gitpages.Repo) int { return strings.Compare(a.Name, b.Name) })
	return repos
}
