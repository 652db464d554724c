package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"
	"unicode"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/mail/smtpclient"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// mailer is the kind of channels that send a mail.
type mailer struct {
	Server  smtpclient.Server `yaml:",inline"`
	From    string            `yaml:"from"`
	To      []string          `yaml:"to"`
	Subject *string           `yaml:"subject"`
	Text    *string           `yaml:"text"`

	from          smtpclient.Address
	to            []smtpclient.Address
	subject, text *template.Template
}

var _ sender = (*mailer)(nil)

const (
	// maxRecipients is what every server must take (RFC 5321, section 4.5.3.1.8).
	maxRecipients = 100
	// maxSubject is in bytes.
	maxSubject = 200
	// maxAnswer bounds what is kept of a server's answer, in bytes.
	maxAnswer = 200
)

func (*mailer) kind() string { return "mail" }

func (m *mailer) target() string {
	mailboxes := make([]string, len(m.to))
	for i, a := range m.to {
		mailboxes[i] = a.Mailbox
	}
	return strings.Join(mailboxes, ", ") + " by " + m.Server.Address
}

// refused implements sender: a password can be any text.
func (*mailer) refused() []error { return nil }

// check refuses settings that cannot work, and fills in what was left out.
func (m *mailer) check(at place, events []workflows.Event) (err error) {
	if err := m.Server.Check(at.folder(), at.fail); err != nil {
		return err
	}
	if m.From == "" {
		return at.fail("from", "is missing")
	}
	if m.from, err = smtpclient.ParseAddress(m.From); err != nil {
		return at.fail("from", "cannot be used: %s", err)
	}
	if len(m.To) == 0 || len(m.To) > maxRecipients {
		return at.fail("to", "must be a list of 1 to %d mail addresses", maxRecipients)
	}
	for i, text := range m.To {
		to, err := smtpclient.ParseAddress(text)
		if err != nil {
			return at.fail(fmt.Sprintf("to.%d", i), "cannot be used: %s", err)
		}
		m.to = append(m.to, to)
	}
	if m.subject, err = parseTemplate(at, "subject", either(m.Subject, defaultSubject), events); err != nil {
		return err
	}
	if m.text, err = parseTemplate(at, "text", either(m.Text, defaultText), events); err != nil {
		return err
	}
	return m.checkTexts(at, events)
}

func either(given *string, otherwise string) string {
	if given != nil {
		return *given
	}
	return otherwise
}

// checkTexts refuses templates that make no mail of the samples.
func (m *mailer) checkTexts(at place, events []workflows.Event) error {
	for _, event := range events {
		for _, sample := range samples(event) {
			message, err := m.compose(sample)
			switch {
			case err != nil:
				return at.fail("subject", "%s", err)
			case strings.TrimSpace(message.Text) == "":
				return at.fail("text", "is empty for %s", event)
			}
		}
	}
	return nil
}

// compose fills the templates in.
func (m *mailer) compose(n workflows.Notice) (smtpclient.Message, error) {
	subject, err := render(m.subject, n)
	if err != nil {
		return smtpclient.Message{}, err
	}
	text, err := render(m.text, n)
	if err != nil {
		return smtpclient.Message{}, err
	}
	message := smtpclient.Message{
		ID: n.Key + "@" + m.from.Domain, From: m.from, To: m.to,
		Subject: plan.Clip(strings.TrimSpace(subject), maxSubject), Text: text,
	}
	switch {
	case message.Subject == "":
		return smtpclient.Message{}, errors.New("is empty")
	case strings.ContainsFunc(message.Subject, unicode.IsControl):
		return smtpclient.Message{}, errors.New("has a line break or another control character")
	}
	return message, nil
}

// send implements sender. A recipient whom the server refuses does not keep the
// others from being told.
func (m *mailer) send(ctx context.Context, n workflows.Notice) (string, error) {
	message, err := m.compose(n)
	if err != nil {
		return "", badMail(err)
	}
	raw, err := message.Bytes(time.Now())
	if err != nil {
		return "", badMail(err)
	}
	taken, err := m.Server.Send(ctx, smtpclient.Delivery{Message: message, Bytes: raw, Partial: true})
	if err != nil {
		return "", m.repeatable(err)
	}
	answer := plan.Clip(plan.Escape(taken.Answer), maxAnswer)
	if taken.Refused > 0 {
		answer = fmt.Sprintf("%s; %d of %d recipients were refused", answer, taken.Refused, len(message.Recipients()))
	}
	return answer, nil
}

// badMail is a template that cannot be filled in with this notice.
func badMail(err error) error {
	return &faults.Fault{
		Class: faults.Permanent, Code: "bad_template", Cause: err,
		Reason: "the mail cannot be made: " + shown(err.Error()),
	}
}

// repeatable is an error of the client, which leaves a mail of unknown outcome
// to a person. A notice is sent again instead, with the same Message-ID.
func (m *mailer) repeatable(err error) error {
	if faults.ClassOf(err) != faults.Unknown {
		return err
	}
	return &faults.Fault{
		Class: faults.Unknown, Code: "no_answer", Cause: err,
		Reason: m.Server.Address + " got the whole mail, and did not say whether it takes it",
	}
}
