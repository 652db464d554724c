package object

import (
	"errors"
	"fmt"
	"mime"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/internal/loopback"
	"github.com/holdpoint/holdpoint/internal/secrets"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// settings are the part of a declaration under "object".
type settings struct {
	URL    string `yaml:"url"` // file:///folder; or else, for S3:
	folder string // of URL

	Endpoint     string       `yaml:"endpoint"` // https://host[:port]
	Region       string       `yaml:"region"`   // us-east-1 when left out
	Bucket       string       `yaml:"bucket"`
	PathStyle    bool         `yaml:"path_style"`    // the bucket stands in the path, whatever the endpoint
	AccessKey    secrets.Text `yaml:"access_key"`    // left out with secret_key: no signature
	SecretKey    secrets.Text `yaml:"secret_key"`    // a reference
	SessionToken secrets.Text `yaml:"session_token"` // of temporary keys
	CAFile       string       `yaml:"ca_file"`       // PEM file of the authorities to trust instead of the system's
	Insecure     bool         `yaml:"insecure"`      // http to another machine is allowed

	Name        template.Text  `yaml:"name"`
	Mode        string         `yaml:"mode"`
	Text        template.Text  `yaml:"text"`
	JSON        template.Value `yaml:"json"`
	ContentType string         `yaml:"content_type"`
}

// What mode can be.
const (
	create  = "create"  // the object must not be there
	replace = "replace" // it must be there, and be as it was when the plan was made
)

// place is where the settings stand, for errors about them.
type place struct {
	declared.Settings
	tool string
}

// fail is an error about one field at its line.
func (p place) fail(field, format string, args ...any) error {
	node := strictyaml.Nearest(p.Node, field)
	return strictyaml.Fail(p.File, node, "tool %s: object.%s %s", p.tool, field, fmt.Sprintf(format, args...))
}

// check refuses settings that cannot work, and fills in what was left out.
func (s *settings) check(at place) error {
	return errors.Join(s.checkStore(at), s.checkObject(at))
}

func (s *settings) checkStore(at place) error {
	switch {
	case s.URL != "" && s.Endpoint != "":
		return at.fail("url", "and endpoint are two stores; give one")
	case s.URL != "":
		return s.checkFolder(at)
	case s.Endpoint != "":
		return s.checkBucket(at)
	default:
		return at.fail("url", "is missing: file:///folder, or endpoint and bucket for S3")
	}
}

func (s *settings) checkFolder(at place) error {
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "file" || u.Host != "" || u.RawQuery != "" || !strings.HasPrefix(u.Path, "/") || u.Path == "/" {
		return at.fail("url", "must be file:///folder, with the folder's full path")
	}
	s.folder = filepath.FromSlash(u.Path)
	if s.Bucket != "" || s.Region != "" || s.PathStyle || s.CAFile != "" || !s.AccessKey.IsZero() || !s.SecretKey.IsZero() || !s.SessionToken.IsZero() {
		return at.fail("url", "is a folder, which has no bucket, region or keys")
	}
	return nil
}

// bucketName is what Amazon S3 allows
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html).
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func (s *settings) checkBucket(at place) error {
	u, err := url.Parse(s.Endpoint)
	if err != nil || !isEndpoint(u) {
		return at.fail("endpoint", "must be https://host or https://host:port")
	}
	switch {
	case u.Scheme == "http" && !loopback.Is(u.Hostname()) && !s.Insecure:
		return at.fail("endpoint", "would send objects in clear to another machine; use https, or allow it with insecure: true")
	case !bucketName.MatchString(s.Bucket):
		return at.fail("bucket", "must be the name of a bucket")
	case s.AccessKey.IsZero() != s.SecretKey.IsZero():
		return at.fail("access_key", "and secret_key belong together")
	case !s.SecretKey.IsZero() && !s.SecretKey.HasReference(), !s.SessionToken.IsZero() && !s.SessionToken.HasReference():
		return at.fail("secret_key", "and session_token must be references, ${env:NAME} or ${file:PATH}")
	}
	if s.Region == "" {
		s.Region = "us-east-1"
	}
	return nil
}

// isEndpoint reports an address with nothing but a host: this client adds the
// rest.
func isEndpoint(u *url.URL) bool {
	return (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && strings.Trim(u.Path, "/") == "" &&
		u.RawQuery == "" && u.User == nil
}

func (s *settings) checkObject(at place) error {
	switch {
	case s.Name.IsZero():
		return at.fail("name", "is missing")
	case s.Mode != create && s.Mode != replace:
		return at.fail("mode", "must be %s or %s", create, replace)
	case s.Text.IsZero() == s.JSON.IsZero():
		return at.fail("text", "or json must be given, and not both")
	}
	if s.ContentType == "" {
		s.ContentType = "text/plain; charset=utf-8"
		if !s.JSON.IsZero() {
			s.ContentType = "application/json"
		}
	}
	if _, _, err := mime.ParseMediaType(s.ContentType); err != nil {
		return at.fail("content_type", "must be a media type, such as text/csv")
	}
	return nil
}
