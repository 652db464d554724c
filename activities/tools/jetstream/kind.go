package jetstream

import (
	"context"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Kind makes tools that publish to NATS JetStream. The zero value is ready for
// use.
type Kind struct{}

var _ declared.Kind = Kind{}

// Name implements declared.Kind.
func (Kind) Name() string { return "nats" }

// Classes implements declared.Kind.
func (Kind) Classes() []plan.DeliveryClass { return []plan.DeliveryClass{plan.Keyed} }

// Open implements declared.Kind.
func (Kind) Open(spec tools.Spec, given declared.Settings) (declared.Sender, error) {
	settings, err := read(given)
	if err != nil {
		return nil, err
	}
	return &sender{spec: spec, settings: settings, connection: newConnection(settings)}, nil
}

// sender publishes the messages of one tool.
type sender struct {
	spec       tools.Spec
	settings   settings
	connection *connection
}

var (
	_ declared.Sender = (*sender)(nil)
	_ declared.Finder = (*sender)(nil)
)

// Prepare implements declared.Sender. It asks the stream whether it can take
// the message and remembers its id for long enough.
func (s *sender) Prepare(ctx context.Context, r declared.Request) (declared.Prepared, error) {
	r.Vars.Key = previewKey
	m, err := s.message(r)
	if err != nil {
		return declared.Prepared{}, err
	}
	l, err := s.connection.open(ctx)
	if err != nil {
		return declared.Prepared{}, err
	}
	info, err := s.live(ctx, l, m.Subject)
	if err != nil {
		return declared.Prepared{}, err
	}
	if err := m.fits(l.MaxPayload(), int64(info.Config.MaxMsgSize)); err != nil {
		return declared.Prepared{}, err
	}
	return declared.Prepared{Preview: m.preview(info)}, nil
}

// previewKey stands for the key, which is not known yet, and can stand in a
// subject.
const previewKey = "IDEMPOTENCY-KEY"

// Close implements declared.Sender.
func (s *sender) Close() error {
	s.connection.close()
	return nil
}
