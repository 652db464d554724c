package program

import (
	"context"
	"errors"

	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/sources/gitsource"
	"github.com/holdpoint/holdpoint/activities/sources/websource"
	"github.com/holdpoint/holdpoint/internal/config"
)

// openSources makes the sources of a configuration. Nothing is read from them.
func openSources(ctx context.Context, cfg config.Config) (map[string]sources.Source, error) {
	all := map[string]sources.Source{}
	var errs []error
	for _, name := range sortedNames(cfg.Sources) {
		source, err := openSource(ctx, name, cfg.Sources[name])
		all[name], errs = source, append(errs, err)
	}
	return all, errors.Join(errs...)
}

func openSource(ctx context.Context, name string, s config.Source) (sources.Source, error) {
	switch s.Kind {
	case config.SourceGit:
		return gitsource.New(ctx, gitsource.Settings{
			Name: name, URL: s.URL, Ref: s.Ref, CredentialHelper: s.CredentialHelper, Cache: s.Cache, Timeout: s.Timeout,
		})
	case config.SourceHTTP:
		pages := make([]websource.Page, len(s.URLs))
		for i, page := range s.URLs {
			pages[i] = websource.Page(page)
		}
		return websource.New(websource.Settings{Name: name, Pages: pages, Allow: s.Allow, Unencrypted: s.Unencrypted, Timeout: s.Timeout})
	default:
		return sources.Dir{Root: s.Path}, nil
	}
}
