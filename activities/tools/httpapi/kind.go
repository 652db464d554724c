package httpapi

import (
	"errors"
	"path/filepath"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/wire"
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
	err := (checker{Settings: from, spec: spec, settings: &s}).check()
	trusted, untrusted := wire.Trust(s.caFile(from.File))
	if untrusted != nil {
		err = errors.Join(err, strictyaml.Fail(from.File, strictyaml.Nearest(from.Node, "ca_file"), "ca_file: %s", untrusted))
	}
	if err != nil {
		return nil, err
	}
	plain := &sender{spec: spec, settings: s, client: &client{
		tls: trusted, maxResponse: s.MaxResponseBytes, timeout: spec.CallTimeout,
	}}
	if s.Lookup != nil {
		return findingSender{plain}, nil
	}
	return plain, nil
}

// caFile is the path of the authorities' file, which is relative to the file
// that the settings stand in.
func (s *settings) caFile(from string) string {
	if s.CAFile == "" || filepath.IsAbs(s.CAFile) {
		return s.CAFile
	}
	return filepath.Join(filepath.Dir(from), s.CAFile)
}
