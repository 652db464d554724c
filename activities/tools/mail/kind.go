package mail

import (
	"errors"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Kind makes tools that send mail.
type Kind struct{}

var _ declared.Kind = Kind{}

// Name implements declared.Kind.
func (Kind) Name() string { return "smtp" }

// Classes implements declared.Kind: nobody deduplicates mail.
func (Kind) Classes() []plan.DeliveryClass { return []plan.DeliveryClass{plan.Once} }

// Open implements declared.Kind.
func (Kind) Open(spec tools.Spec, from declared.Settings) (declared.Sender, error) {
	var s settings
	at := place{Settings: from, tool: spec.Name}
	if err := at.Decode(&s); err != nil {
		return nil, err
	}
	author, err := s.author(at)
	if err := errors.Join(s.check(at), err); err != nil {
		return nil, err
	}
	return &sender{name: spec.Name, settings: s, from: author}, nil
}
