package jetstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Our own headers of a message.
const (
	// headerFingerprint is the digest of the action's canonical parameters.
	headerFingerprint = "Holdpoint-Fingerprint"
	headerRun         = "Holdpoint-Run"
	headerAction      = "Holdpoint-Action"
)

// message is what is published for one action.
type message struct {
	*nats.Msg

	json bool // the body is JSON
}

// message fills the templates in. For the same approved action it is the same,
// byte for byte. The fault names a field, and no value.
func (s *sender) message(r declared.Request) (message, error) {
	action := r.Call.Action
	m := message{Msg: &nats.Msg{Header: nats.Header{}}}
	var err error
	if m.Subject, err = s.subject(r); err != nil {
		return m, s.unfit("subject", err)
	}
	if m.Data, m.json, err = s.body(r); err != nil {
		return m, s.unfit("body", err)
	}
	for name, text := range s.settings.Headers {
		value, err := text.Render(r.Vars, nil)
		if err == nil && strings.ContainsFunc(value, unicode.IsControl) {
			err = errors.New("has a control character")
		}
		if err != nil {
			return m, s.unfit("header "+name, err)
		}
		m.Header.Set(name, value)
	}
	fingerprint, err := plan.Fingerprint(action.Parameters)
	if err != nil {
		return m, s.unfit("parameters", err)
	}
	m.Header.Set(natsjs.MsgIDHeader, r.Vars.Key)
	m.Header.Set(headerFingerprint, fingerprint.String())
	m.Header.Set(headerRun, plan.Escape(r.Call.RunID))
	m.Header.Set(headerAction, plan.Escape(action.ID))
	return m, nil
}

func (s *sender) subject(r declared.Request) (string, error) {
	var bad error
	subject, err := s.settings.Subject.Render(r.Vars, func(value string) string {
		bad = errors.Join(bad, checkToken(value))
		return value
	})
	switch {
	case err != nil:
		return "", err
	case bad != nil:
		return "", bad
	case strings.HasPrefix(subject, "$"), strings.HasPrefix(subject, "_INBOX."):
		return "", errors.New("is one of the server's own")
	}
	for token := range strings.SplitSeq(subject, ".") {
		if err := checkToken(token); err != nil {
			return "", err
		}
	}
	return subject, nil
}

// checkToken refuses what is not one token of a subject: a value with a dot
// would lead to another level, one with a wildcard or a blank to no subject at
// all.
func checkToken(token string) error {
	switch {
	case token == "":
		return errors.New("has an empty token")
	case strings.ContainsAny(token, ".*>"), strings.ContainsFunc(token, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c)
	}):
		return errors.New("has a dot, a wildcard, a blank or a control character in a value")
	}
	return nil
}

func (s *sender) body(r declared.Request) (body []byte, isJSON bool, err error) {
	value, err := s.settings.Body.Render(r.Vars)
	if err != nil {
		return nil, false, err
	}
	if text, ok := value.(string); ok {
		return []byte(text), false, nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, false, err
	}
	body, err = plan.Canonicalize(raw)
	return body, true, err
}

// fits compares the message with what one may have, where that is limited.
func (m message) fits(limits ...int64) error {
	size := int64(len(m.Data) + len("NATS/1.0\r\n\r\n"))
	for name, values := range m.Header {
		for _, value := range values {
			size += int64(len(name) + len(value) + len(": \r\n"))
		}
	}
	for _, limit := range limits {
		if limit > 0 && size > limit {
			return permanent("message_too_large", "the message has %d bytes with its headers, and the broker takes %d", size, limit)
		}
	}
	return nil
}

// preview is what an approver reads.
func (m message) preview(info *natsjs.StreamInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "one message to the NATS stream %s\nsubject: %s\n", info.Config.Name, plan.Escape(m.Subject))
	for _, name := range sortedNames(m.Header) {
		if name == headerRun || name == headerAction {
			continue // known only when it is sent
		}
		fmt.Fprintf(&b, "%s: %s\n", name, plan.Escape(m.Header.Get(name)))
	}
	for _, note := range notes(info) {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	fmt.Fprintf(&b, "\n%s\n", plan.EscapeLines(m.readableBody()))
	return b.String()
}

func (m message) readableBody() string {
	if !m.json {
		return string(m.Data)
	}
	indented, err := indent(m.Data)
	if err != nil {
		return string(m.Data)
	}
	return indented
}

func sortedNames(h nats.Header) []string {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
