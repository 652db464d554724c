package config

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// The kinds of sources that a configuration has. An upload is a task's own.
const (
	SourceDir  = "dir"
	SourceGit  = "git"
	SourceHTTP = "http"
)

// Source is where tasks may read documents. In the file, a text stands for the
// folder of that path.
type Source struct {
	Kind string `yaml:"kind"` // "dir" when empty

	// Path is the folder of a source of kind "dir".
	Path string `yaml:"path"`

	// URL is the repository of a source of kind "git", as git takes it, and Ref a
	// branch, a tag or a commit of it; its HEAD when empty.
	URL              string `yaml:"url"`
	Ref              string `yaml:"ref"`
	CredentialHelper string `yaml:"credential_helper"` // git's credential.helper
	// Cache is where it is fetched into. It lies in the data folder.
	Cache string `yaml:"-"`

	// URLs are the pages of a source of kind "http", and Allow the hosts that
	// they may be on; those of URLs when empty.
	URLs  []Page   `yaml:"urls"`
	Allow []string `yaml:"allow"`
	// Unencrypted lets pages be read without encryption.
	Unencrypted bool `yaml:"unencrypted"`

	// Timeout is for one fetch from a repository, or one page; 0 is the source's
	// default.
	Timeout time.Duration `yaml:"timeout"`
}

// Page is one page. In the file, a text stands for the URL alone.
type Page struct {
	URL  string `yaml:"url"`
	Path string `yaml:"path"` // its path among the documents; from the URL when empty
}

// String says where documents come from, without anything that a URL could
// keep secret.
func (s Source) String() string {
	switch s.Kind {
	case SourceGit:
		return strings.TrimSpace("git " + withoutSecrets(s.URL) + " " + s.Ref)
	case SourceHTTP:
		var hosts []string
		for _, page := range s.URLs {
			if u, err := url.Parse(page.URL); err == nil && !slices.Contains(hosts, u.Host) {
				hosts = append(hosts, u.Host)
			}
		}
		return fmt.Sprintf("http, %d pages on %s", len(s.URLs), strings.Join(hosts, ", "))
	default:
		return s.Path
	}
}

func withoutSecrets(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text[strings.LastIndexByte(text, '@')+1:]
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// writeOut gives the sources of a file their long form.
func writeOut(sources *yaml.Node) {
	if sources == nil || sources.Kind != yaml.MappingNode {
		return
	}
	for i := 1; i < len(sources.Content); i += 2 {
		sources.Content[i] = longForm(sources.Content[i], "path")
		pages := strictyaml.Field(sources.Content[i], "urls")
		if pages == nil || pages.Kind != yaml.SequenceNode {
			continue
		}
		for j := range pages.Content {
			pages.Content[j] = longForm(pages.Content[j], "url")
		}
	}
}

// longForm makes a text the field of that name.
func longForm(node *yaml.Node, field string) *yaml.Node {
	if node.Kind != yaml.ScalarNode {
		return node
	}
	name := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: field, Line: node.Line, Column: node.Column}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: node.Line, Column: node.Column, Content: []*yaml.Node{name, node}}
}

// resolve fills in the kind and makes paths those of the file's folder.
func (s Source) resolve(at func(string) string) Source {
	if s.Kind == "" {
		s.Kind = SourceDir
	}
	s.Path = at(s.Path)
	if s.Kind == SourceGit && !strings.Contains(s.URL, ":") {
		s.URL = at(s.URL)
	}
	return s
}

// fields are those of a source that is of one kind, with what they are set to.
func (s Source) fields() []struct {
	name, kind string
	given      bool
} {
	return []struct {
		name, kind string
		given      bool
	}{
		{"path", SourceDir, s.Path != ""},
		{"url", SourceGit, s.URL != ""},
		{"ref", SourceGit, s.Ref != ""},
		{"credential_helper", SourceGit, s.CredentialHelper != ""},
		{"urls", SourceHTTP, len(s.URLs) > 0},
		{"allow", SourceHTTP, len(s.Allow) > 0},
		{"unencrypted", SourceHTTP, s.Unencrypted},
	}
}

// validateSource looks at what can be seen without reading from the source, and
// makes its paths absolute.
func (c *Config) validateSource(n string) error {
	s := c.Sources[n]
	var errs []error
	fail := func(field, format string, args ...any) {
		at := c.At("sources", n) // nothing when a flag has set it
		if inner := c.At("sources", n, field); at != "" && inner != "" {
			at = inner
		}
		errs = append(errs, fmt.Errorf("%ssource %s: %s", at, n, fmt.Sprintf(format, args...)))
	}
	switch s.Kind {
	case SourceDir:
		s.Path = absoluteFolder(s.Path, fail)
	case SourceGit:
		if s.URL == "" {
			fail("url", "url is missing")
		}
		cache, err := filepath.Abs(filepath.Join(c.Data, "sources", n+".git"))
		s.Cache, errs = cache, append(errs, err)
	case SourceHTTP:
		if len(s.URLs) == 0 {
			fail("urls", "urls is missing: name the pages to read")
		}
	default:
		fail("kind", "kind %q: the known kinds are %q, %q and %q", s.Kind, SourceDir, SourceGit, SourceHTTP)
		return errors.Join(errs...)
	}
	for _, field := range s.fields() {
		if field.given && field.kind != s.Kind {
			fail(field.name, "%s is for kind %q, and this one is of kind %q", field.name, field.kind, s.Kind)
		}
	}
	if s.Timeout < 0 {
		fail("timeout", "timeout must be above 0")
	}
	c.Sources[n] = s
	return errors.Join(errs...)
}

func absoluteFolder(path string, fail func(field, format string, args ...any)) string {
	if path == "" {
		fail("path", "folder is missing") // not the folder that the worker happens to be started in
		return ""
	}
	folder, err := filepath.Abs(path)
	if info, statErr := os.Stat(folder); err != nil || statErr != nil || !info.IsDir() {
		fail("path", "%s is not a folder", path)
	}
	return folder
}
