package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

var name = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`)

// Validate reports everything that is wrong, and makes paths absolute.
func (c *Config) Validate() error {
	errs := []error{c.validateSources(), c.validateRepositories(), c.Tools.validate(), c.validateLedger(), c.validateBlobs()}
	for _, n := range append(sorted(c.Sources), sorted(c.Repositories)...) {
		if !name.MatchString(n) {
			errs = append(errs, fmt.Errorf("%sname %q: use letters, digits, '.', '_' and '-'", cmp.Or(c.At("sources", n), c.At("repositories", n)), n))
		}
	}
	if strings.TrimSpace(c.TaskQueue) == "" {
		errs = append(errs, errors.New(c.At("task_queue")+"task_queue is empty"))
	}
	if c.Data == "" {
		errs = append(errs, errors.New(c.At("data")+"data is empty: name the folder of the blob store and the ledger"))
	}
	if _, port, err := net.SplitHostPort(c.Metrics); c.Metrics != "" && (err != nil || port == "") {
		errs = append(errs, errors.New(c.At("metrics")+"metrics: give host:port, such as 127.0.0.1:9464, or leave it out"))
	}
	data, err := filepath.Abs(c.Data)
	c.Data = data
	return errors.Join(append(errs, err, c.within("limits", c.Limits.validate()), c.within("timing", c.Timing.validate()))...)
}

func (c *Config) validateSources() error {
	if len(c.Sources) == 0 {
		return errors.New("no source root: name one in the configuration (sources:) or with --source NAME=FOLDER")
	}
	var errs []error
	for _, n := range sorted(c.Sources) {
		errs = append(errs, c.validateSource(n))
	}
	for _, n := range sorted(c.SourceURLs) {
		u, err := url.Parse(c.SourceURLs[n])
		if _, known := c.Sources[n]; !known || err != nil || !takesPath(u) {
			errs = append(errs, fmt.Errorf(
				"%ssource_urls: %s: give an http or https URL, without credentials and fragment, for the name of a source", c.At("source_urls", n), n))
			continue
		}
		c.SourceURLs[n] = strings.TrimSuffix(c.SourceURLs[n], "/") + "/"
	}
	return errors.Join(errs...)
}

// takesPath reports whether a file's path and "#L12" can be appended to a URL
// that everybody may read.
func takesPath(u *url.URL) bool {
	return (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && u.Fragment == ""
}

// validateLedger looks at what can be seen without the secret.
func (c *Config) validateLedger() error {
	address := c.Ledger.String()
	if c.Ledger.IsZero() || strings.HasPrefix(address, "${") ||
		strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		return nil
	}
	return errors.New(c.At("ledger") + "ledger: give a PostgreSQL address, postgres://… or ${env:NAME}, or leave it out for a file in the data folder")
}

// validateBlobs looks at what can be seen without keys, and makes the path of
// ca_file absolute.
func (c *Config) validateBlobs() error {
	if c.Blobs.IsZero() {
		return nil
	}
	var err error
	if c.Blobs.CAFile != "" {
		c.Blobs.CAFile, err = filepath.Abs(c.Blobs.CAFile)
	}
	return errors.Join(err, c.within("blobs", c.Blobs.Validate()))
}

func (c *Config) validateRepositories() error {
	var errs []error
	for _, n := range sorted(c.Repositories) {
		repository := c.Repositories[n]
		if repository.Remote == "" && repository.CredentialHelper != "" {
			errs = append(errs, fmt.Errorf("%srepository %s: credential_helper is for a remote", c.At("repositories", n), n))
		}
		switch {
		case repository.Path != "":
		case repository.Remote != "" && c.Data != "":
			repository.Path = filepath.Join(c.Data, "git", n+".git")
		default:
			errs = append(errs, fmt.Errorf("%srepository %s: path is missing", c.At("repositories", n), n))
			continue
		}
		folder, err := filepath.Abs(repository.Path)
		errs = append(errs, err)
		repository.Path = folder
		c.Repositories[n] = repository
	}
	return errors.Join(errs...)
}

// mostPatience stays within the attempts that the server makes.
const mostPatience = 120 * time.Hour

func (l Limits) validate() error {
	switch {
	case l.FileBytes <= 0 || l.TotalBytes <= 0 || l.Entries <= 0:
		return errors.New("limits: file_bytes, total_bytes and entries must be above 0")
	case l.ParallelActions < 1 || l.ParallelActions > 200:
		return errors.New("limits: parallel_actions must be 1 to 200")
	case l.StepAttempts < 1 || l.StepAttempts > 1000:
		return errors.New("limits: step_attempts must be 1 to 1,000")
	case l.StepPatience < time.Second || l.StepPatience > mostPatience:
		return fmt.Errorf("limits: step_patience must be 1s to %.0fh", mostPatience.Hours())
	}
	return nil
}

func (t Timing) validate() error {
	switch {
	case t.HeartbeatTimeout < 500*time.Millisecond || t.StickyTimeout <= 0 || t.DrainTimeout <= 0:
		return errors.New("timing: heartbeat_timeout must be at least 500ms; sticky_timeout and drain_timeout above 0")
	case t.Lease < t.HeartbeatTimeout:
		return errors.New("timing: lease must not be shorter than heartbeat_timeout")
	}
	return nil
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
