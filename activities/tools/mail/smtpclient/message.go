package smtpclient

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"
	"time"
)

// Message is one mail before it has a date. Its texts may hold any letters, but
// for a subject of one line: the caller sees to that.
type Message struct {
	ID      string // without its brackets
	From    Address
	To, CC  []Address
	ReplyTo []Address
	Subject string
	Text    string
	HTML    string // empty: none
}

// Recipients are the mailboxes that it goes to, each once, as SMTP writes them.
func (m Message) Recipients() []string { return envelope(m.To, m.CC) }

const (
	qp = "quoted-printable"
	// boundary stands in no quoted-printable text, where two hex digits or a
	// line end come after each "=" (RFC 2045, section 6.7).
	boundary = "=_alternative"
)

// Bytes are the mail as it goes over the wire (RFC 5322), with CRLF at the end
// of every line, the last one too. They are ASCII, with no line over 998
// characters.
func (m Message) Bytes(date time.Time) ([]byte, error) {
	var b bytes.Buffer
	field := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, value) }
	field("Date", date.UTC().Format(time.RFC1123Z))
	field("Message-ID", "<"+m.ID+">")
	field("From", addressList([]Address{m.From}))
	field("To", addressList(m.To))
	if len(m.CC) > 0 {
		field("Cc", addressList(m.CC))
	}
	if len(m.ReplyTo) > 0 {
		field("Reply-To", addressList(m.ReplyTo))
	}
	field("Subject", unstructured(m.Subject))
	field("Auto-Submitted", "auto-generated") // RFC 3834: no "out of office" comes back
	field("MIME-Version", "1.0")
	if err := m.body(&b, field); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (m Message) body(b *bytes.Buffer, field func(name, value string)) error {
	if m.HTML == "" {
		field("Content-Type", "text/plain; charset=utf-8")
		field("Content-Transfer-Encoding", qp)
		b.WriteString("\r\n")
		if err := quoted(b, m.Text); err != nil {
			return err
		}
		if !bytes.HasSuffix(b.Bytes(), []byte("\r\n")) {
			b.WriteString("\r\n")
		}
		return nil
	}
	parts := multipart.NewWriter(b)
	if err := parts.SetBoundary(boundary); err != nil {
		return err
	}
	field("Content-Type", `multipart/alternative; boundary="`+boundary+`"`)
	b.WriteString("\r\n")
	for _, part := range []struct{ kind, text string }{{"plain", m.Text}, {"html", m.HTML}} {
		header := textproto.MIMEHeader{"Content-Type": {"text/" + part.kind + "; charset=utf-8"}, "Content-Transfer-Encoding": {qp}}
		if _, err := parts.CreatePart(header); err != nil {
			return err
		}
		if err := quoted(b, part.text); err != nil {
			return err
		}
	}
	return parts.Close()
}

// lineEnds are those that a text may have; all become a line end of mail.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// quoted writes text as quoted-printable (RFC 2045, section 6.7), which has
// short lines whatever the text has.
func quoted(b *bytes.Buffer, text string) error {
	w := quotedprintable.NewWriter(b)
	if _, err := io.WriteString(w, lineEnds.Replace(text)); err != nil {
		return err
	}
	return w.Close()
}
