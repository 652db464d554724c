package mail

import (
	"strings"

	"github.com/holdpoint/holdpoint/activities/tools/mail/smtpclient"
)

// preview is the mail as an approver reads it: all of it, but for the date.
func preview(m smtpclient.Message) string {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	field("From", people([]smtpclient.Address{m.From}))
	field("To", people(m.To))
	field("Cc", people(m.CC))
	field("Reply-To", people(m.ReplyTo))
	field("Subject", m.Subject)
	field("Message-ID", m.ID)
	b.WriteString("\n" + m.Text)
	if m.HTML != "" {
		b.WriteString("\n\n--- the same as HTML, which most programs show instead ---\n" + m.HTML)
	}
	return b.String()
}
