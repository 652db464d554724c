package mail

import (
	"context"
	"errors"
	"fmt"
	"html"
	"strings"
	"time"
	"unicode"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/mail/smtpclient"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// sender sends the mails of one declaration. It holds no connection: each mail
// has its own.
type sender struct {
	name     string // the tool's, for error texts
	settings settings
	from     smtpclient.Address
}

var _ declared.Sender = (*sender)(nil)

const (
	// maxSubject is in bytes.
	maxSubject = 1000
	// maxMail is in bytes, as it goes over the wire.
	maxMail = 16 << 20
	// maxAnswer bounds what a receipt keeps of the server's answer, in bytes.
	maxAnswer = 200
)

// Prepare makes the mail, to show it and to find out now what is wrong with
// it. It talks to no server.
func (s *sender) Prepare(_ context.Context, r declared.Request) (declared.Prepared, error) {
	m, err := s.compose(r.Vars)
	if err != nil {
		return declared.Prepared{}, err
	}
	if _, err := s.encode(m); err != nil {
		return declared.Prepared{}, err
	}
	return declared.Prepared{Preview: preview(m)}, nil
}

// Apply sends the mail. The receipt is the Message-ID, and what the server
// answered, which is where most servers name the mail in their queue.
func (s *sender) Apply(ctx context.Context, r declared.Request) (declared.Effect, error) {
	m, err := s.compose(r.Vars)
	if err != nil {
		return declared.Effect{}, err
	}
	raw, err := s.encode(m)
	if err != nil {
		return declared.Effect{}, err
	}
	taken, err := s.settings.Server.Send(ctx, smtpclient.Delivery{Message: m, Bytes: raw, MayEnd: r.Call.Allowed})
	if err != nil {
		return declared.Effect{}, err
	}
	return declared.Effect{
		Ref: "<" + m.ID + ">", At: time.Now(),
		Detail: fmt.Sprintf("%s took the mail for %d recipients: %s",
			s.settings.Server.Address, len(m.Recipients()), plan.Clip(plan.Escape(taken.Answer), maxAnswer)),
	}, nil
}

// Count is -1: no mail server can be asked what it has taken.
func (s *sender) Count(context.Context, declared.Request) (int, error) { return -1, nil }

// Close has nothing to give back.
func (s *sender) Close() error { return nil }

// compose fills the templates in.
func (s *sender) compose(vars template.Vars) (smtpclient.Message, error) {
	f := filler{vars: vars}
	m := smtpclient.Message{
		ID:      vars.Key + "@" + s.from.Domain,
		From:    s.from,
		To:      f.addresses("to", s.settings.To),
		CC:      f.addresses("cc", s.settings.CC),
		ReplyTo: f.addresses("reply_to", s.settings.ReplyTo),
		Subject: f.text("subject", s.settings.Subject, nil),
		Text:    f.text("text", s.settings.Text, nil),
		HTML:    f.text("html", s.settings.HTML, html.EscapeString),
	}
	if f.err != nil {
		return smtpclient.Message{}, s.refuse("%s", f.err)
	}
	return m, s.check(m)
}

// filler fills templates in, and keeps the first error.
type filler struct {
	vars template.Vars
	err  error
}

func (f *filler) text(name string, t template.Text, escape func(string) string) string {
	text, err := t.Render(f.vars, escape)
	f.failed(name, err)
	return text
}

func (f *filler) addresses(name string, v template.Value) []smtpclient.Address {
	list, err := addresses(v, f.vars)
	f.failed(name, err)
	return list
}

func (f *filler) failed(name string, err error) {
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", name, err)
	}
}

// check refuses what a mail cannot carry, or what would be another mail than
// the one that was approved.
func (s *sender) check(m smtpclient.Message) error {
	switch n := len(m.Recipients()); {
	case len(m.To) == 0:
		return s.refuse("the mail has no recipient")
	case n > s.settings.MaxRecipients:
		return s.refuse("the mail has %d recipients, and max_recipients is %d", n, s.settings.MaxRecipients)
	case strings.TrimSpace(m.Subject) == "":
		return s.refuse("the mail has no subject")
	case len(m.Subject) > maxSubject:
		return s.refuse("the subject has more than %d bytes", maxSubject)
	case strings.ContainsFunc(m.Subject, unicode.IsControl):
		return s.refuse("the subject holds a line break or another control character")
	}
	return nil
}

// encode makes the bytes of the mail, with the date of now.
func (s *sender) encode(m smtpclient.Message) ([]byte, error) {
	raw, err := m.Bytes(time.Now())
	if err == nil && len(raw) > maxMail {
		err = errors.New("the mail has more than 16 MiB")
	}
	if err != nil {
		return nil, s.refuse("%s", err)
	}
	return raw, nil
}

func (s *sender) refuse(format string, args ...any) error {
	return &faults.Fault{Class: faults.Permanent, Code: "bad_parameters", Reason: "tool " + s.name + ": " + fmt.Sprintf(format, args...)}
}
