package object

import (
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Kind makes tools that write objects.
type Kind struct{}

var _ declared.Kind = Kind{}

// Name implements declared.Kind.
func (Kind) Name() string { return "object" }

// Classes implements declared.Kind: the store refuses a second write.
func (Kind) Classes() []plan.DeliveryClass { return []plan.DeliveryClass{plan.Conditional} }

// Open implements declared.Kind.
func (Kind) Open(spec tools.Spec, from declared.Settings) (declared.Sender, error) {
	var s settings
	if err := from.Decode(&s); err != nil {
		return nil, err
	}
	at := place{Settings: from, tool: spec.Name}
	if err := s.check(at); err != nil {
		return nil, err
	}
	if s.URL != "" {
		return &sender{name: spec.Name, settings: s, store: &folder{path: s.folder}}, nil
	}
	b, err := newBucket(&s, at)
	if err != nil {
		return nil, err
	}
	return &sender{name: spec.Name, settings: s, store: b}, nil
}
