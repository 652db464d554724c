// Package config reads holdpoint.yaml, the worker's configuration: where
// documents may be read, what may be written with which tool, and where the
// worker keeps its own things. Paths in the file are relative to the file's
// folder.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/regularfile"
	"github.com/holdpoint/holdpoint/internal/secrets"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// DefaultFile is read when it exists and nothing else is named.
const DefaultFile = "holdpoint.yaml"

// Config is a worker's configuration.
type Config struct {
	TaskQueue string `yaml:"task_queue"`
	// Sources names what tasks may read.
	Sources map[string]Source `yaml:"sources"`
	// SourceURLs says, by the name of a source, where people read its files on
	// the web: a URL to which a path and "#L12" can be appended.
	SourceURLs map[string]string `yaml:"source_urls"`
	// Repositories names the Git repositories that tasks may write pages to.
	Repositories map[string]Repository `yaml:"repositories"`
	// Tools are declared here; docs/tools says how.
	Tools Tools `yaml:"tools"`
	// Notify has the channels through which people are told that a run waits for
	// them; docs/notifications.md says how.
	Notify Section `yaml:"notify"`
	Policy string  `yaml:"policy"` // file
	// Data is the folder of the blob store and the ledger when they are files.
	Data string `yaml:"data"`
	// Ledger is the PostgreSQL database of the ledger, postgres://…; empty for a
	// SQLite file in the data folder.
	Ledger secrets.Text `yaml:"ledger"`
	// Blobs says where the blob store is; not given for a folder in the data
	// folder. See BlobStore.
	Blobs blobs.Config `yaml:"blobs"`
	// Planners has those that ask a model, and Budgets what they may spend;
	// docs/models.md says how.
	Planners Section `yaml:"planners"`
	Budgets  Section `yaml:"budgets"`
	// SingleMachine allows files as stores with a Temporal server elsewhere:
	// all workers of the task queue then run on this one machine.
	SingleMachine bool `yaml:"single_machine"`
	// Metrics is the address, host:port, at which Prometheus can read what the
	// worker counts; empty for none. docs/metrics.md says what.
	Metrics string `yaml:"metrics"`
	Limits  Limits `yaml:"limits"`
	Timing  Timing `yaml:"timing"`

	place place
}

// Repository is a knowledge base.
type Repository struct {
	// Path is its folder. With a remote it is the folder of the worker's cache,
	// and may be left out: then the cache is in the data folder.
	Path   string `yaml:"path"`
	Branch string `yaml:"branch"`
	// Remote is where it is read from and pushed to: a URL, user@host:path, or a
	// path. What has no colon in it is a path.
	Remote string `yaml:"remote"`
	// CredentialHelper is git's credential.helper for the remote.
	CredentialHelper string `yaml:"credential_helper"`
	// Place is the remote, or else the path, as it is written: paths are made
	// absolute, and a plan is the same wherever the file lies.
	Place string `yaml:"-"`
}

// Limits bound what one run may read and do.
type Limits struct {
	FileBytes       int64 `yaml:"file_bytes"`       // a larger document is skipped
	TotalBytes      int64 `yaml:"total_bytes"`      // of one collection
	Entries         int   `yaml:"entries"`          // of one collection, read or skipped
	ParallelActions int   `yaml:"parallel_actions"` // of one plan
	// StepAttempts bounds, of a step that writes to no external system, the attempts
	// that end with a fault of its own.
	StepAttempts int `yaml:"step_attempts"`
	// StepPatience is how long such a step waits for what passes by itself: an
	// outage, a rate limit, a worker that has what the task names.
	StepPatience time.Duration `yaml:"step_patience"`
}

// Timing decides how soon another worker takes over from one that was killed.
type Timing struct {
	HeartbeatTimeout time.Duration `yaml:"heartbeat_timeout"`
	Lease            time.Duration `yaml:"lease"`
	StickyTimeout    time.Duration `yaml:"sticky_timeout"`
	DrainTimeout     time.Duration `yaml:"drain_timeout"` // for attempts in flight when the worker is told to stop
}

// Default is the configuration that a file or flags are laid over.
func Default() Config {
	return Config{
		TaskQueue:    "holdpoint",
		Sources:      map[string]Source{},
		Repositories: map[string]Repository{},
		Data:         ".holdpoint",
		Limits: Limits{
			FileBytes: 16 << 20, TotalBytes: 512 << 20, Entries: 100_000, ParallelActions: 8,
			StepAttempts: 10, StepPatience: 24 * time.Hour,
		},
		Timing: Timing{
			HeartbeatTimeout: 2 * time.Second, Lease: 3 * time.Second,
			StickyTimeout: time.Second, DrainTimeout: 10 * time.Second,
		},
	}
}

// Load reads a file over the defaults. Its error names every mistake in the form
// "file:line: reason": a field that nobody knows, with those that there are, a
// field that stands there twice, a value of another type.
func Load(path string) (Config, error) {
	raw, err := regularfile.Read(path)
	if err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	c := Default()
	document, err := strictyaml.Document(path, raw)
	if err != nil {
		return Config{}, err
	}
	tools := takePart(document, "tools")
	for name, part := range map[string]*Section{"notify": &c.Notify, "planners": &c.Planners, "budgets": &c.Budgets} {
		if node := takePart(document, name); !strictyaml.Absent(node) {
			*part = Section{File: path, Node: node}
		}
	}
	c.place = place{file: path, root: document}
	writeOut(strictyaml.Field(document, "sources"))
	var errs [3]error
	c.Tools, errs[0] = readTools(path, tools)
	errs[1] = takeMisshapen(path, document)
	errs[2] = strictyaml.Decode(path, document, &c)
	if err := errors.Join(errs[:]...); err != nil {
		return Config{}, err
	}
	c.resolve(filepath.Dir(path))
	return c, nil
}

func (c *Config) resolve(base string) {
	at := func(p string) string {
		if p == "" || filepath.IsAbs(p) {
			return p
		}
		return filepath.Join(base, p)
	}
	// Made anew, because "sources:" with nothing behind it makes a nil map, to
	// which no flag could add.
	sources, repositories := map[string]Source{}, map[string]Repository{}
	for name, source := range c.Sources {
		sources[name] = source.resolve(at)
	}
	for name, repository := range c.Repositories {
		repository.Place = cmp.Or(repository.Remote, repository.Path)
		repository.Path = at(repository.Path)
		if !strings.Contains(repository.Remote, ":") {
			repository.Remote = at(repository.Remote)
		}
		repositories[name] = repository
	}
	c.Sources, c.Repositories = sources, repositories
	c.Policy, c.Data, c.Blobs.CAFile = at(c.Policy), at(c.Data), at(c.Blobs.CAFile)
}

// BlobStore is where blobs are kept: where the file says, and else in the data
// folder.
func (c *Config) BlobStore() blobs.Config {
	if c.Blobs.IsZero() {
		return blobs.Config{URL: BlobURL(c.Data)}
	}
	return c.Blobs
}

// BlobURL is the address of the blob store in a data folder.
func BlobURL(data string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(data, "blobs"))}
	return u.String()
}
