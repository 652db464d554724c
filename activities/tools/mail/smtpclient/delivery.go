package smtpclient

import (
	"cmp"
	"context"
)

// Delivery is one mail on its way to a server.
type Delivery struct {
	Message Message
	Bytes   []byte // of Message
	// MayEnd is asked right before the final dot: until then everything is taken
	// back by ending the connection. nil: it may.
	MayEnd func(context.Context) error
	// Partial lets the mail go to the other recipients when some are refused.
	// Without it, it goes to all of them or to none.
	Partial bool
}

// Taken is what a server said of a mail that it took.
type Taken struct {
	Answer  string // its code and text, unescaped, for example "250 2.0.0 Ok: queued as A1B2C3"
	Refused int    // how many recipients it will not get to; 0 without Partial
}

// Send gives a mail to the server in a conversation of its own. Every error is
// a fault; doc.go says which class means what. The server is named in it, and no
// address of a person.
func (s *Server) Send(ctx context.Context, d Delivery) (Taken, error) {
	c, err := s.open(ctx, cmp.Or(s.HELO, d.Message.From.Domain))
	if err != nil {
		return Taken{}, err
	}
	defer c.close()
	taken, err := c.hand(ctx, d)
	if err == nil {
		c.farewell()
	}
	return taken, err
}

func (d Delivery) mayEnd(ctx context.Context) error {
	if d.MayEnd == nil {
		return nil
	}
	return d.MayEnd(ctx)
}
