package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
)

// stored is a message in a stream.
type stored struct {
	Subject  string
	Sequence uint64
	Header   nats.Header
	Time     time.Time
}

func (m stored) key() string         { return m.Header.Get(natsjs.MsgIDHeader) }
func (m stored) fingerprint() string { return m.Header.Get(headerFingerprint) }

// query asks for one message: the one with a sequence, or the first with that
// sequence or a later one, or of that time or a later one, whose subject falls
// under a pattern.
type query struct {
	Sequence uint64     `json:"seq,omitempty"`
	Subject  string     `json:"next_by_subj,omitempty"`
	Since    *time.Time `json:"start_time,omitempty"` // servers before 2.11 begin with the first message instead
}

// messageNotFound is JetStream's error for a query that nothing answers.
const messageNotFound natsjs.ErrorCode = 10037

// stored asks the stream's leader for a message; nil when there is none. The
// client's own way is not taken, because it asks any replica where the stream
// allows that, and one that lags behind proves nothing.
func (l *link) stored(ctx context.Context, stream string, q query) (*stored, error) {
	question, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	subject := "$JS.API.STREAM.MSG.GET." + stream
	request, done := l.begin(ctx, subject)
	defer done()
	reply, err := l.RequestWithContext(request, subject, question)
	if err != nil {
		return nil, why(request, err)
	}
	var answer struct {
		Error   *natsjs.APIError `json:"error"`
		Message *struct {
			Subject  string    `json:"subject"`
			Sequence uint64    `json:"seq"`
			Header   []byte    `json:"hdrs"`
			Time     time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return nil, fmt.Errorf("the stream's answer is no JSON: %w", err)
	}
	switch {
	case answer.Error != nil && answer.Error.ErrorCode == messageNotFound:
		return nil, nil //nolint:nilnil // there is none
	case answer.Error != nil:
		return nil, answer.Error
	case answer.Message == nil:
		return nil, fmt.Errorf("the stream's answer has no message")
	}
	m := answer.Message
	header := nats.Header{}
	if len(m.Header) > 0 {
		if header, err = nats.DecodeHeadersMsg(m.Header); err != nil {
			return nil, err
		}
	}
	return &stored{Subject: m.Subject, Sequence: m.Sequence, Header: header, Time: m.Time}, nil
}
