package declared

import (
	"context"
	"time"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"

	"go.yaml.in/yaml/v3"
)

// Kind makes the senders of one kind of external system.
type Kind interface {
	// Name is the kind's in a declaration, and that of its settings.
	Name() string
	// Classes are the delivery classes that the kind can keep.
	Classes() []plan.DeliveryClass
	// Open reads the settings, which are there, and makes the sender. It does not connect: a
	// worker starts while a target is down. Its errors name file and line
	// ([Settings.Fail]).
	Open(spec tools.Spec, settings Settings) (Sender, error)
}

// Sender makes the effects of one declared tool. It is safe for concurrent
// use. Every error is a *faults.Fault, with the meaning that [tools.Tool] says.
//
// A sender of class lookup is a [Finder]; one of class keyed may be one.
type Sender interface {
	// Prepare reads from the target what an approver must see. It writes
	// nothing. The request's Call has no key yet; Vars.Key is a placeholder.
	Prepare(ctx context.Context, r Request) (Prepared, error)
	// Apply makes the effect, as tools.Tool says.
	Apply(ctx context.Context, r Request) (Effect, error)
	// Count says how often the effect is present at the target; -1 when the
	// target cannot tell.
	Count(ctx context.Context, r Request) (int, error)
	// Close gives back what the sender holds.
	Close() error
}

// Finder is a sender whose target can be asked for the effect of a key.
type Finder interface {
	// Find is as in tools.Finder. The effect is set when it was Found.
	Find(ctx context.Context, r Request) (tools.Presence, Effect, string, error)
}

// Replacer is a sender of which a later effect can take an earlier one's place.
type Replacer interface {
	// Replaces is tools.Spec.Replaces.
	Replaces() bool
}

// Request is one action on its way to the target.
type Request struct {
	Call tools.Call
	Vars template.Vars
}

// Prepared is what a sender found out for the approver.
type Prepared struct {
	Precondition string // the target's state that the plan is made for; empty when none is checked
	Preview      string // what will be sent, and what it replaces
}

// Effect is what the target said of an effect: the sender's part of a receipt.
type Effect struct {
	Ref    string    // the target's own id of the effect; never empty
	Detail string    // one line for people
	At     time.Time // when the effect was made: as the target says, or else now
}

// Settings are a kind's own part of a declaration.
type Settings struct {
	File string
	Node *yaml.Node
}

// Decode fills out strictly: unknown fields are errors with file and line.
func (s Settings) Decode(out any) error { return strictyaml.Decode(s.File, s.Node, out) }

// Fail is an error about the settings, with file and line.
func (s Settings) Fail(format string, args ...any) error {
	return strictyaml.Fail(s.File, s.Node, format, args...)
}
