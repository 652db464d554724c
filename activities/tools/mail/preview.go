package mail

import "strings"

// preview is the mail as an approver reads it: all of it, but for the date.
func preview(m message) string {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	field("From", people([]address{m.from}))
	field("To", people(m.to))
	field("Cc", people(m.cc))
	field("Reply-To", people(m.replyTo))
	field("Subject", m.subject)
	field("Message-ID", m.id)
	b.WriteString("\n" + m.text)
	if m.html != "" {
		b.WriteString("\n\n--- the same as HTML, which most programs show instead ---\n" + m.html)
	}
	return b.String()
}
