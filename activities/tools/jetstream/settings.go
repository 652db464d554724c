package jetstream

import (
	"errors"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/internal/secrets"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// settings are what a declaration says under `nats`.
type settings struct {
	// Servers are nats:// or tls:// addresses of one cluster, without user info.
	Servers []string `yaml:"servers"`

	// At most one way to sign in is given.
	Credentials secrets.Text `yaml:"credentials"` // the content of a .creds file
	NKeySeed    secrets.Text `yaml:"nkey_seed"`
	User        secrets.Text `yaml:"user"` // with Password
	Password    secrets.Text `yaml:"password"`
	Token       secrets.Text `yaml:"token"`

	TLS *tlsSettings `yaml:"tls"` // nil: TLS only when an address or the server asks for it

	Stream  string        `yaml:"stream"`
	Subject template.Text `yaml:"subject"` // a parameter's value is one token of it
	// Body is sent as it is when it is a text, and else as canonical JSON.
	Body    template.Value           `yaml:"body"`
	Headers map[string]template.Text `yaml:"headers"`
}

// tlsSettings name PEM files. A relative path is one from the configuration's
// folder.
type tlsSettings struct {
	CA          string `yaml:"ca"` // empty: the system's
	Certificate string `yaml:"certificate"`
	Key         string `yaml:"key"`
	ServerName  string `yaml:"server_name"` // empty: the address's
}

// streamName is what JetStream takes as a name, and what is safe in the
// subject of an API request.
var streamName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,255}$`)

// headerName is a token of RFC 9110, section 5.6.2.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,255}$")

func read(given declared.Settings) (settings, error) {
	var s settings
	if err := given.Decode(&s); err != nil {
		return s, err
	}
	fail := func(field, format string, args ...any) error {
		return strictyaml.Fail(given.File, strictyaml.Nearest(given.Node, field), "nats: "+format, args...)
	}
	errs := []error{s.checkSignIn(fail)}
	if err := checkServers(s.Servers); err != nil {
		errs = append(errs, fail("servers", "%s", err))
	}
	if s.TLS != nil {
		if err := s.TLS.settle(filepath.Dir(given.File)); err != nil {
			errs = append(errs, fail("tls", "%s", err))
		}
	}
	if !streamName.MatchString(s.Stream) {
		errs = append(errs, fail("stream", "stream must name one stream, with letters, digits, - and _"))
	}
	if s.Subject.IsZero() {
		errs = append(errs, fail("subject", "no subject is given"))
	}
	if s.Body.IsZero() {
		errs = append(errs, fail("body", "no body is given"))
	}
	errs = append(errs, s.checkHeaders(given.File, strictyaml.Field(given.Node, "headers")))
	return s, errors.Join(errs...)
}

func checkServers(addresses []string) error {
	if len(addresses) == 0 {
		return errors.New("no servers are given")
	}
	for _, address := range addresses {
		u, err := url.Parse(address)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls":
			return errors.New("a server is written nats://host:port or tls://host:port")
		case u.User != nil:
			return errors.New("user and password of a server stand in the fields of these names")
		}
	}
	return nil
}

// settle makes the paths those of files, wherever the worker was started.
func (t *tlsSettings) settle(folder string) error {
	if (t.Certificate == "") != (t.Key == "") {
		return errors.New("certificate and key go together")
	}
	for _, path := range []*string{&t.CA, &t.Certificate, &t.Key} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(folder, *path)
		}
	}
	return nil
}

func (s settings) checkSignIn(fail func(field, format string, args ...any) error) error {
	ways := 0
	for _, given := range []secrets.Text{s.Credentials, s.NKeySeed, s.User, s.Token} {
		if !given.IsZero() {
			ways++
		}
	}
	switch {
	case ways > 1:
		return fail("servers", "of credentials, nkey_seed, user and token one is given at most")
	case s.User.IsZero() != s.Password.IsZero():
		return fail("user", "user and password go together")
	}
	return nil
}

// checkHeaders keeps the headers that JetStream acts upon, and ours, out of a
// declaration: Nats-Rollup, for one, deletes messages.
func (s settings) checkHeaders(file string, node *yaml.Node) error {
	for name := range s.Headers {
		lower := strings.ToLower(name)
		switch {
		case !headerName.MatchString(name):
			return strictyaml.Fail(file, node, "nats: %.100q is no name of a header", name)
		case strings.HasPrefix(lower, "nats-"), strings.HasPrefix(lower, "holdpoint-"):
			return strictyaml.Fail(file, node, "nats: header %s: names that begin with Nats- or Holdpoint- are not a declaration's to set", name)
		}
	}
	return nil
}
