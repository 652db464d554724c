// Package websource reads documents from web pages that a worker's
// configuration lists. It only ever asks with GET, follows no redirect to
// another host, and reads from no host that is not allowed.
//
// A server keeps no moment of its pages, so that each is what it was when it
// was fetched: once, and its bytes are kept from then on, also by an attempt
// that does not come to its end.
package websource

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/internal/loopback"
	"github.com/holdpoint/holdpoint/workflows"
)

// Settings say which pages are read.
type Settings struct {
	Name  string // of the source, for error texts
	Pages []Page
	// Allow are the hosts that pages may be on, with a port where it is not the
	// scheme's own; empty stands for those of Pages.
	Allow []string
	// Unencrypted lets pages be read without encryption, so that whoever is on the
	// way can read and change them. On a loopback address they always may.
	Unencrypted bool
	Timeout     time.Duration // of one page; 0 stands for 30 s
}

// Page is one document.
type Page struct {
	URL string
	// Path is its path in the source; empty stands for the URL's host and path.
	Path string
}

const defaultTimeout = 30 * time.Second

// Source is a list of pages.
type Source struct {
	Settings

	pages  []page // bytewise by path
	client *http.Client
}

type page struct {
	url  *url.URL
	path string // raw
}

// New checks the settings. Its error does not repeat a URL's query.
func New(s Settings) (*Source, error) {
	if s.Timeout == 0 {
		s.Timeout = defaultTimeout
	}
	src := &Source{Settings: s, client: client(s.Timeout)}
	for i, p := range s.Pages {
		made, wrong := s.page(p)
		if wrong != "" {
			return nil, fmt.Errorf("source %s: url %d %s", s.Name, i+1, wrong)
		}
		src.pages = append(src.pages, made)
	}
	if len(src.pages) == 0 {
		return nil, fmt.Errorf("source %s: urls is empty: name the pages to read", s.Name)
	}
	slices.SortFunc(src.pages, func(a, b page) int { return strings.Compare(a.path, b.path) })
	for i, p := range src.pages[1:] {
		if p.path == src.pages[i].path {
			return nil, fmt.Errorf("source %s: two urls have the path %q; give one of them another path", s.Name, p.path)
		}
	}
	return src, nil
}

// page reads one page, or says what is wrong with it.
func (s Settings) page(p Page) (_ page, wrong string) {
	u, err := url.Parse(p.URL)
	if err != nil {
		return page{}, "is no URL"
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return page{}, "begins with neither https:// nor http://"
	case u.Hostname() == "":
		return page{}, "has no host"
	case u.User != nil:
		return page{}, "has a user in it, which is kept from nobody who reads the configuration"
	case u.Scheme == "http" && !s.Unencrypted && !loopback.Is(u.Hostname()):
		return page{}, "is not encrypted; write https, or unencrypted: true where everybody on the way is trusted"
	case len(s.Allow) > 0 && !slices.ContainsFunc(s.Allow, func(host string) bool { return strings.EqualFold(host, u.Host) }):
		return page{}, "is on " + u.Host + ", which is not among the allowed hosts"
	}
	u.Fragment, u.RawFragment = "", ""
	made := page{url: u, path: p.Path}
	if p.Path == "" {
		made.path = pathOf(u)
	}
	if !fs.ValidPath(strings.ToValidUTF8(made.path, "?")) || made.path == "." || strings.ContainsRune(made.path, 0) {
		return page{}, "has a path that no file could have; give it another with path"
	}
	return made, ""
}

// pathOf is a URL's host and path. A path that ends as a folder's stands for
// the page that servers give for it.
func pathOf(u *url.URL) string {
	path := strings.ToLower(u.Host) + u.Path
	if u.Path == "" || strings.HasSuffix(u.Path, "/") {
		path = strings.TrimSuffix(path, "/") + "/index.html"
	}
	return path
}

// Kind implements sources.Source.
func (*Source) Kind() string { return workflows.SourceHTTP }

// Open implements sources.Source. The moment is that of the configuration, the
// list of pages: a worker with another one cannot go on with it.
func (s *Source) Open(_ context.Context, o sources.Opening) (sources.Tree, error) {
	t := &tree{source: s, moment: s.moment()}
	if o.Moment != "" && o.Moment != t.moment {
		return nil, sources.ErrGone
	}
	return t, nil
}

// moment is the digest of the pages' paths and addresses, without the queries,
// which may be secret and short enough to be found by trying.
func (s *Source) moment() string {
	var b strings.Builder
	for _, p := range s.pages {
		fmt.Fprintf(&b, "%q %q\n", p.path, p.url.Scheme+"://"+p.url.Host+p.url.EscapedPath())
	}
	return plan.Sum([]byte(b.String())).String()
}

// tree are the pages of a list.
type tree struct {
	source *Source
	moment string
}

// Moment implements sources.Tree.
func (t *tree) Moment() string { return t.moment }

// Origin implements sources.Tree. The pages' paths name their hosts.
func (*tree) Origin() *sources.Origin { return &sources.Origin{} }

// List implements sources.Tree. No page is asked for.
func (t *tree) List(_ context.Context, scope folder.Scope, _ int, visit func(sources.Item) error) error {
	hidden := sources.HiddenFolders{Within: scope.Folder(), Visit: visit}
	for _, p := range t.source.pages {
		if !scope.Holds(p.path) {
			continue
		}
		if err := hidden.Add(p.path, sources.Item{Path: folder.EscapePath(p.path), Size: sources.UnknownSize}); err != nil {
			return err
		}
	}
	return hidden.End()
}

// Read implements sources.Tree: it fetches the page.
func (t *tree) Read(ctx context.Context, item *sources.Item, limit int64) ([]byte, error) {
	path, err := folder.RawPath(item.Path)
	if err != nil {
		return nil, err
	}
	at, found := slices.BinarySearchFunc(t.source.pages, path, func(p page, path string) int { return strings.Compare(p.path, path) })
	if !found {
		return nil, errors.New("a page that is not on the source's list")
	}
	return t.source.fetch(ctx, t.source.pages[at], item, limit)
}

// Close implements sources.Tree.
func (t *tree) Close() error {
	t.source.client.CloseIdleConnections()
	return nil
}
