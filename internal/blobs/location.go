package blobs

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/holdpoint/holdpoint/internal/loopback"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

// Config says where blobs are kept. The zero Config says nothing.
type Config struct {
	// URL is file:///absolute/path or
	// s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&path_style=true.
	//
	// Of the second, only the bucket has to be given. The prefix has the form of
	// an entry's name. Without an endpoint it is Amazon's, without a region
	// us-east-1. path_style puts the bucket into the path whatever the endpoint;
	// insecure=true allows http to another machine.
	URL string `yaml:"url"`
	// AccessKey and SecretKey are of the s3 store, the second a reference. They are
	// read anew for each request.
	AccessKey secrets.Text `yaml:"access_key"`
	SecretKey secrets.Text `yaml:"secret_key"`
	// SessionToken goes with temporary keys; a reference.
	SessionToken secrets.Text `yaml:"session_token"`
	// CAFile is a PEM file of the authorities to trust instead of the system's.
	CAFile string `yaml:"ca_file"`
}

// IsZero reports a configuration that was not given.
func (c Config) IsZero() bool { return c.URL == "" && c.isPlain() }

// isPlain reports that nothing is given beside the URL.
func (c Config) isPlain() bool {
	return c.AccessKey.IsZero() && c.SecretKey.IsZero() && c.SessionToken.IsZero() && c.CAFile == ""
}

// Shared reports a store that other machines reach too.
func (c Config) Shared() bool { return strings.HasPrefix(c.URL, "s3:") }

// Validate reports what is wrong with the configuration. It looks at no secret
// and reaches no store. Its text, like that of every error of this package, has
// no part of the URL's query or user info in it.
func (c Config) Validate() error {
	_, err := c.locate()
	return err
}

// Open opens the store. A folder is made when it is missing, for its owner
// only. A bucket is not asked for anything yet, so that a program can start
// while it is away.
func (c Config) Open() (*Store, error) {
	at, err := c.locate()
	if err != nil {
		return nil, err
	}
	var objects storage
	if at.folder != "" {
		objects, err = openFolder(at.folder)
	} else {
		objects, err = openBucket(c, at)
	}
	if err != nil {
		return nil, fmt.Errorf("blob store: %w", err)
	}
	return &Store{objects}, nil
}

// location is what a URL says.
type location struct {
	folder string // or else:

	bucket, prefix string
	endpoint       *url.URL
	region         string
	pathStyle      bool
}

func (c Config) locate() (location, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return location{}, errors.New("blob store: the address is not a URL")
	}
	var at location
	switch u.Scheme {
	case "file":
		at, err = c.inFolder(u)
	case "s3":
		at, err = c.inBucket(u)
	default:
		err = fmt.Errorf("scheme %.20q is not known; use file:///absolute/path or s3://BUCKET", u.Scheme)
	}
	if err != nil {
		return location{}, fmt.Errorf("blob store: %w", err)
	}
	return at, nil
}

func (c Config) inFolder(u *url.URL) (location, error) {
	switch {
	case u.Host != "" && u.Host != "localhost", !filepath.IsAbs(filepath.FromSlash(u.Path)):
		return location{}, errors.New("use file:///absolute/path, with three slashes")
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return location{}, errors.New("a file:// address takes no parameters; the folder is made when it is missing")
	case !c.isPlain():
		return location{}, errors.New("a file:// address takes no keys and no ca_file")
	}
	return location{folder: filepath.Clean(filepath.FromSlash(u.Path))}, nil
}

// bucketName is what Amazon S3 allows
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html).
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func (c Config) inBucket(u *url.URL) (location, error) {
	at := location{bucket: u.Host, prefix: strings.Trim(u.Path, "/")}
	switch {
	case u.User != nil:
		return location{}, errors.New("keys do not stand in the address; give access_key and secret_key")
	case u.Fragment != "":
		return location{}, errors.New("an s3:// address ends with its parameters")
	case !bucketName.MatchString(at.bucket):
		return location{}, errors.New("use s3://BUCKET or s3://BUCKET/PREFIX, with the name of a bucket")
	case at.prefix != "" && !isName(at.prefix):
		return location{}, errors.New("the prefix after the bucket cannot be used: of its parts, " + errName.Error())
	}
	if err := c.checkKeys(); err != nil {
		return location{}, err
	}
	return at, at.parameters(u.RawQuery)
}

func (c Config) checkKeys() error {
	switch {
	case c.AccessKey.IsZero() || c.SecretKey.IsZero():
		return errors.New("an s3:// address needs access_key and secret_key")
	case !c.SecretKey.HasReference(), !c.SessionToken.IsZero() && !c.SessionToken.HasReference():
		return errors.New("secret_key and session_token must be references, ${env:NAME} or ${file:PATH}")
	default:
		return nil
	}
}

// parameters reads the query. A value is not shown: it may be a key that
// somebody put there.
func (at *location) parameters(query string) error {
	given, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("the parameters of the address cannot be read")
	}
	endpoint, insecure := "https://s3.amazonaws.com", false
	at.region = "us-east-1"
	for name, values := range given {
		value := values[len(values)-1]
		var err error
		switch name {
		case "endpoint":
			endpoint = value
		case "region":
			at.region = value
		case "path_style":
			at.pathStyle, err = strconv.ParseBool(value)
		case "insecure":
			insecure, err = strconv.ParseBool(value)
		default:
			return errors.New("an s3:// address has the parameters endpoint, region, path_style and insecure, and no others")
		}
		if err != nil || value == "" || len(values) > 1 {
			return fmt.Errorf("the parameter %s is wrong; path_style and insecure are true or false, and each stands there once", name)
		}
	}
	at.endpoint, err = url.Parse(endpoint)
	switch {
	case err != nil || !isEndpoint(at.endpoint):
		return errors.New("the endpoint must be https://HOST or https://HOST:PORT")
	case at.endpoint.Scheme == "http" && !loopback.Is(at.endpoint.Hostname()) && !insecure:
		return errors.New("the endpoint would get blobs in clear over the network; use https, or allow it with insecure=true")
	}
	return nil
}

// isEndpoint reports an address with nothing but a host.
func isEndpoint(u *url.URL) bool {
	return (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && strings.Trim(u.Path, "/") == "" &&
		u.RawQuery == "" && u.Fragment == "" && u.User == nil
}
