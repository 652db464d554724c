package jetstream

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
)

// errDenied is the cause with which a request ends that the server refuses
// because of its subject.
var errDenied = errors.New("the NATS server refuses the subject to this user")

// link is one connection to a server. When it is lost, it stays lost.
type link struct {
	*nats.Conn

	js  natsjs.JetStream
	raw net.Conn

	mu      sync.Mutex
	waiting map[*waiter]struct{}
}

// waiter is a request under way.
type waiter struct {
	subject string
	end     context.CancelCauseFunc
}

func dial(ctx context.Context, servers string, options []nats.Option) (*link, error) {
	l, d := &link{waiting: map[*waiter]struct{}{}}, &dialer{ctx: ctx}
	options = append(options,
		nats.SetCustomDialer(d), nats.Timeout(handshakeTimeout(ctx)),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { l.refused(err) }))
	var err error
	if l.Conn, err = nats.Connect(servers, options...); err != nil {
		return nil, err
	}
	l.raw = d.last
	if l.js, err = natsjs.New(l.Conn); err != nil {
		l.abort()
		return nil, err
	}
	return l, nil
}

// abort ends the connection without sending what is still to be sent.
func (l *link) abort() {
	l.raw.Close()
	l.Close()
}

// begin registers a request to a subject until done is called. The request's
// context ends with errDenied when the server refuses the subject: the protocol
// has no answer for that, only a remark beside it.
func (l *link) begin(ctx context.Context, subject string) (request context.Context, done func()) {
	request, cancel := context.WithCancelCause(ctx)
	w := &waiter{subject: subject, end: cancel}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting[w] = struct{}{}
	return request, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.waiting, w)
		cancel(nil)
	}
}

// refused ends the requests that a remark of the server is about. It reads
//
//	Permissions Violation for Publish to "orders.new"
func (l *link) refused(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	remark := err.Error()
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range l.waiting {
		if strings.Contains(remark, `for Publish to "`+w.subject+`"`) {
			w.end(errDenied)
		}
	}
}

// why is the reason of a request's error: the one with which its context
// ended, when that is ours.
func why(request context.Context, err error) error {
	if errors.Is(context.Cause(request), errDenied) {
		return errDenied
	}
	return err
}
