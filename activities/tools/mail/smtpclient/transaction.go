package smtpclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// patience is how long an answer to the final dot is still waited for when the
// call is stopped: nothing is sent any more, and knowing is better than asking
// a person. The call's deadline ends it all the same.
const patience = 5 * time.Second

// longestVerdict is for a call without a deadline (RFC 5321, section 4.5.3.2.6).
const longestVerdict = 10 * time.Minute

// hand gives the mail to the server, and returns what it said.
func (c *session) hand(ctx context.Context, d Delivery) (Taken, error) {
	f := failure{ctx: ctx, server: c.server}
	if err := c.announce(d, f); err != nil {
		return Taken{}, err
	}
	refused, err := c.invite(d, f)
	if err != nil {
		return Taken{}, err
	}
	if err := c.command(354, "DATA"); err != nil {
		return Taken{}, f.reply("DATA", err)
	}
	data := c.Text.DotWriter()
	if _, err := data.Write(d.Bytes); err != nil {
		return Taken{}, f.network("DATA", err)
	}
	// The final dot goes out by itself, so that it is known whether it did.
	if err := c.Text.W.Flush(); err != nil {
		return Taken{}, f.network("DATA", err)
	}
	if err := d.mayEnd(ctx); err != nil {
		if ended := f.ended(); ended != nil {
			return Taken{}, ended
		}
		return Taken{}, err
	}
	if !c.detach() {
		return Taken{}, f.ended()
	}
	c.wire.SetDeadline(deadline(ctx))                                            //nolint:errcheck // a closed connection needs none
	stop := context.AfterFunc(ctx, func() { c.wire.SetDeadline(lastWord(ctx)) }) //nolint:errcheck // as above
	defer stop()
	before := c.wire.written()
	if err := data.Close(); err != nil {
		if c.wire.written() == before {
			return Taken{}, f.network("DATA", err)
		}
		return Taken{}, c.unknown(d, err)
	}
	answer, err := c.verdict(d, f)
	if err != nil {
		return Taken{}, err
	}
	return Taken{Answer: answer, Refused: refused}, nil
}

// announce says who the mail is from.
func (c *session) announce(d Delivery, f failure) error {
	size := ""
	if offered, limit := c.Extension("SIZE"); offered { // RFC 1870
		most, err := strconv.Atoi(limit)
		if err == nil && most > 0 && len(d.Bytes) > most {
			return f.permanent("mail_too_large", fmt.Sprintf("takes mails of at most %d bytes, and this one has %d", most, len(d.Bytes)))
		}
		size = fmt.Sprintf(" SIZE=%d", len(d.Bytes))
	}
	if err := c.command(250, "MAIL FROM:%s%s", d.Message.From.Path(), size); err != nil {
		return f.reply("MAIL", err)
	}
	return nil
}

// invite says who the mail is for, and counts those whom the server refuses.
// One that is refused refuses the mail, unless it may be partial.
func (c *session) invite(d Delivery, f failure) (refused int, err error) {
	recipients := d.Message.Recipients()
	var worst *textproto.Error
	for _, path := range recipients {
		err := c.command(25, "RCPT TO:%s", path) // 250, and 251 for one that is forwarded
		if err == nil {
			continue
		}
		reply, ok := errors.AsType[*textproto.Error](err)
		if !ok {
			return 0, f.network("RCPT", err)
		}
		refused++
		if worst == nil || reply.Code > worst.Code { // 5yz is worse than 4yz
			worst = reply
		}
	}
	if worst == nil || d.Partial && refused < len(recipients) {
		return refused, nil
	}
	return 0, f.recipients(refused, len(recipients), worst, d.Partial)
}

// command sends a line and wants an answer whose code begins with expect.
func (c *session) command(expect int, format string, args ...any) error {
	id, err := c.Text.Cmd(format, args...)
	if err != nil {
		return err
	}
	c.Text.StartResponse(id)
	defer c.Text.EndResponse(id)
	_, _, err = c.Text.ReadResponse(expect)
	return err
}

// verdict is what becomes of a mail whose final dot has gone out.
func (c *session) verdict(d Delivery, f failure) (string, error) {
	code, text, err := readReply(c.Text.R)
	if err != nil {
		return "", c.unknown(d, err)
	}
	switch code / 100 {
	case 2:
		return strings.TrimSpace(fmt.Sprintf("%d %s", code, text)), nil
	case 4, 5:
		return "", f.refused("the end of the mail", code, text)
	default:
		return "", c.unknown(d, errNoReply)
	}
}

var errNoReply = errors.New("no reply of a mail server")

// readReply reads one reply. A line counts only with its line end (RFC 5321,
// section 2.3.8): one that is cut off is no answer, whatever it begins with.
func readReply(r *bufio.Reader) (code int, text string, err error) {
	var lines []string
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return 0, "", err
		}
		line = strings.TrimRight(line, "\r\n")
		if len(line) < 3 {
			return 0, "", errNoReply
		}
		digits, rest := line[:3], line[3:]
		n, err := strconv.Atoi(digits)
		if err != nil || n < 100 || len(lines) > 0 && n != code {
			return 0, "", errNoReply
		}
		code = n
		lines = append(lines, strings.TrimLeft(rest, "- "))
		switch {
		case rest == "", rest[0] == ' ':
			return code, strings.Join(lines, " "), nil
		case rest[0] != '-':
			return 0, "", errNoReply
		}
	}
}

// unknown is the fault of a mail that may or may not have been taken. Nothing
// here can find out, so a person is asked at once.
func (c *session) unknown(d Delivery, err error) error {
	return &faults.Fault{
		Class: faults.Unknown, Code: faults.CodeOutcomeUnknown,
		Reason: c.server + " got the whole mail, and did not say whether it takes it; " +
			"a person must look for the mail with the Message-ID <" + d.Message.ID + ">",
		Cause: err,
	}
}

func deadline(ctx context.Context) time.Time {
	if at, ok := ctx.Deadline(); ok {
		return at
	}
	return time.Now().Add(longestVerdict)
}

// lastWord is until when an answer is waited for after ctx has ended.
func lastWord(ctx context.Context) time.Time {
	at, soon := deadline(ctx), time.Now().Add(patience)
	if soon.Before(at) {
		return soon
	}
	return at
}
