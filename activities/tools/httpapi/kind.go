package httpapi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// Kind makes tools that write to HTTP APIs.
type Kind struct{}

var _ declared.Kind = Kind{}

// Name implements declared.Kind.
func (Kind) Name() string { return "http" }

// Classes implements declared.Kind.
func (Kind) Classes() []plan.DeliveryClass {
	return []plan.DeliveryClass{plan.Keyed, plan.Conditional, plan.Lookup, plan.Once}
}

// Open implements declared.Kind. The sender is a declared.Finder when the
// settings have a lookup.
func (Kind) Open(spec tools.Spec, from declared.Settings) (declared.Sender, error) {
	s := defaults()
	if err := from.Decode(&s); err != nil {
		return nil, err
	}
	w := &wire{tls: &tls.Config{MinVersion: tls.VersionTLS12}, maxResponse: s.MaxResponseBytes, timeout: spec.CallTimeout}
	err := (checker{Settings: from, spec: spec, settings: &s}).check()
	if s.CAFile != "" {
		roots, unread := authorities(filepath.Dir(from.File), s.CAFile)
		if unread != nil {
			err = errors.Join(err, strictyaml.Fail(from.File, strictyaml.Nearest(from.Node, "ca_file"), "ca_file: %s", unread))
		}
		w.tls.RootCAs = roots
	}
	if err != nil {
		return nil, err
	}
	plain := &sender{spec: spec, settings: s, wire: w}
	if s.Lookup != nil {
		return findingSender{plain}, nil
	}
	return plain, nil
}

func authorities(base, path string) (*x509.CertPool, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errNoCertificate
	}
	return roots, nil
}
