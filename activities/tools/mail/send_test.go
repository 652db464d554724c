package mail

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

func TestMailIsSentAndTheServersWordKept(t *testing.T) {
	server := newScripted(t)
	tool := mailer(t, server.address)
	receipt, err := tool.Apply(t.Context(), theCall())
	require.NoError(t, err)
	require.Equal(t, "<"+theID+">", receipt.Ref)
	require.Equal(t, server.address+" took the mail for 2 recipients: 250 2.0.0 Ok: queued as A1B2C3", receipt.Detail)
	require.WithinDuration(t, time.Now(), receipt.At, 10*time.Second)
	server.requireMails(1)
	require.Eventually(t, func() bool { return len(server.commands()) == 6 }, 5*time.Second, time.Millisecond)
	require.Equal(t, []string{"EHLO", "MAIL", "RCPT", "RCPT", "DATA", "QUIT"}, server.commands())
	require.Equal(t, "EHLO example.com", server.heard[0])
	require.Regexp(t, `^MAIL FROM:<reports@example.com> SIZE=\d+$`, server.heard[1])

	n, err := tool.Count(t.Context(), theCall())
	require.NoError(t, err)
	require.Equal(t, -1, n, "no mail server can be asked")
}

// Whatever goes wrong before the final dot has gone out leaves no mail, and
// whatever the server answers to it, but for silence, is its word.
func TestHowFarItGotSaysWhatIsKnown(t *testing.T) {
	tests := []struct {
		name  string
		says  map[string]string
		class faults.Class
		code  string
		text  string
	}{
		{"greeted with 421", map[string]string{"": "421 4.3.2 shutting down"}, faults.Transient, "smtp_421", "421 4.3.2"},
		{"greeted with 554", map[string]string{"": "554 no"}, faults.Permanent, "smtp_554", "554"},
		{"hung up at the greeting", map[string]string{"": "-"}, faults.Transient, "smtp_broken_off", ""},
		{"rubbish as greeting", map[string]string{"": "HTTP/1.1 400 Bad Request"}, faults.Transient, "smtp_broken_off", ""},
		{"a greeting without an end", map[string]string{"": "220" + strings.Repeat("-x\r\n220", (256<<10)/6)}, faults.Transient, "smtp_broken_off", ""},
		{"HELO refused too", map[string]string{"EHLO": "502 no", "HELO": "550 5.7.1 not you"}, faults.Permanent, "smtp_550", "550 5.7.1"},
		{"sender refused", map[string]string{"MAIL": "550 5.7.1 reports@example.com may not"}, faults.Permanent, "smtp_550", "550 5.7.1"},
		{"sender refused for now", map[string]string{"MAIL": "451 4.3.0 later"}, faults.Transient, "smtp_451", "451 4.3.0"},
		{"hung up at MAIL", map[string]string{"MAIL": "-"}, faults.Transient, "smtp_broken_off", ""},
		{"a recipient refused", map[string]string{"RCPT TO:<ops@example.com>": "550 5.1.1 <ops@example.com>: unknown"}, faults.Permanent, "recipients_refused", "1 of 2 recipients"},
		{"a recipient refused for now", map[string]string{"RCPT TO:<mei@example.com>": "450 4.2.0 greylisted"}, faults.Transient, "recipients_refused", "1 of 2 recipients"},
		{"one for now and one for good", map[string]string{"RCPT TO:<mei@example.com>": "450 4.2.0 later", "RCPT TO:<ops@example.com>": "553 5.1.8 no"}, faults.Permanent, "recipients_refused", "2 of 2 recipients"},
		{"hung up at RCPT", map[string]string{"RCPT TO:<ops@example.com>": "-"}, faults.Transient, "smtp_broken_off", ""},
		{"DATA refused", map[string]string{"DATA": "554 5.5.1 no valid recipients"}, faults.Permanent, "smtp_554", "554 5.5.1"},
		{"DATA refused for now", map[string]string{"DATA": "451 4.3.0 later"}, faults.Transient, "smtp_451", ""},
		{"hung up at DATA", map[string]string{"DATA": "-"}, faults.Transient, "smtp_broken_off", ""},
		{"refused after the dot", map[string]string{".": "554 5.6.0 spam"}, faults.Permanent, "smtp_554", "554 5.6.0"},
		{"refused after the dot for now", map[string]string{".": "452 4.3.1 disk full"}, faults.Transient, "smtp_452", "452 4.3.1"},
		{"refused after the dot in several lines", map[string]string{".": "554-5.7.1 spam\r\n554 5.7.1 really"}, faults.Permanent, "smtp_554", "554 5.7.1"},
		{"closing after the dot", map[string]string{".": "421 4.3.2 shutting down"}, faults.Transient, "smtp_421", "421 4.3.2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := newScripted(t)
			server.says = tt.says
			fault := requireFault(t, apply(t, mailer(t, server.address), theCall()), tt.class, tt.code)
			require.Contains(t, fault.Reason, tt.text)
			require.Contains(t, fault.Reason, server.address)
			require.Contains(t, fault.Reason, "no mail was taken")
			for _, who := range []string{"mei@", "ops@", "reports@"} {
				require.NotContains(t, fault.Reason, who)
			}
			server.requireMails(0)
		})
	}
}

func TestWithoutACompleteAnswerToTheDotAPersonIsAsked(t *testing.T) {
	write := func(text string) func(net.Conn) {
		return func(c net.Conn) { io.WriteString(c, text) }
	}
	for name, after := range map[string]func(net.Conn){
		"nothing, and closed":         func(net.Conn) {},
		"one digit":                   write("2"),
		"a code":                      write("250"),
		"a line without its end":      write("250 2.0.0 Ok: que"),
		"a refusal without its end":   write("451 4.3.0 la"),
		"the first of two lines":      write("250-2.0.0 Ok\r\n"),
		"no code":                     write("okay!\r\n"),
		"a code of no meaning here":   write("354 go on\r\n"),
		"two codes":                   write("250-ok\r\n451 no\r\n"),
		"an empty line":               write("\r\n"),
		"a line that does not end":    write("250 " + strings.Repeat("x", (256<<10))),
		"a reset":                     func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) },
		"nothing, until the deadline": func(c net.Conn) { io.Copy(io.Discard, c) },
	} {
		t.Run(name, func(t *testing.T) {
			server := newScripted(t)
			server.afterDot = after
			fault := requireFault(t, apply(t, mailer(t, server.address), theCall()), faults.Unknown, faults.CodeOutcomeUnknown)
			require.Contains(t, fault.Reason, "<"+theID+">", "for the person who looks")
			server.requireMails(1)
		})
	}
}

func TestAnAnswerOfTheCodeAloneIsOne(t *testing.T) {
	server := newScripted(t)
	server.says["."] = "250"
	require.NoError(t, apply(t, mailer(t, server.address), theCall()))
	server.requireMails(1)
}

func TestNothingListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	listener.Close()
	fault := requireFault(t, apply(t, mailer(t, address), theCall()), faults.Transient, "dial_failed")
	require.Contains(t, fault.Reason, address)
}

// A mail whose dot never went out was not taken, however much of it was.
func TestBrokenOffInTheMiddleOfTheMail(t *testing.T) {
	long := aMail()
	long["text"] = strings.Repeat("0123456789 ", 1<<20) // more than buffers on the way hold
	for name, before := range map[string]func(c net.Conn, stop func()){
		"closed": func(net.Conn, func()) {},
		"reset":  func(c net.Conn, _ func()) { c.(*net.TCPConn).SetLinger(0) },
		"stopped, while nobody reads": func(c net.Conn, stop func()) {
			c.(*net.TCPConn).SetReadBuffer(1 << 12)
			stop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := newScripted(t)
			server.says["EHLO"] = "250 mail.example.com"
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan struct{})
			t.Cleanup(func() { close(ended) })
			server.beforeDot = func(c net.Conn) { before(c, func() { stop(); <-ended }) }
			_, err := mailer(t, server.address).Apply(ctx, callWith(long))
			require.Equal(t, faults.Transient.String(), faults.ClassOf(err).String(), "%v", err)
			require.Contains(t, err.Error(), "mail was taken")
			server.requireMails(0)
		})
	}
}

// The last moment at which an attempt can be stopped is before the dot.
func TestApprovalThatEndsBeforeTheDotSendsNothing(t *testing.T) {
	server := newScripted(t)
	call := theCall()
	refusal := &faults.Fault{Class: faults.Permanent, Code: "expired", Reason: "the approval has expired"}
	asked := 0
	call.MayBegin = func(context.Context) error {
		asked++
		require.Equal(t, "DATA", server.commands()[len(server.commands())-1])
		return refusal
	}
	err := apply(t, mailer(t, server.address), call)
	require.Equal(t, error(refusal), err, "the reason is passed on as it is")
	require.Equal(t, 1, asked)
	server.requireMails(0)
}

func TestStoppedBeforeTheDotSendsNothing(t *testing.T) {
	server := newScripted(t)
	ctx, cancel := context.WithCancel(t.Context())
	call := theCall()
	call.MayBegin = func(ctx context.Context) error {
		cancel()
		return ctx.Err()
	}
	_, err := mailer(t, server.address).Apply(ctx, call)
	requireFault(t, err, faults.Transient, faults.CodeInterrupted)
	server.requireMails(0)
}

// A call that is stopped while it waits for the server's word sends nothing
// more. It hears the word out, because nobody else ever will.
func TestStoppedAfterTheDotStillHearsTheAnswer(t *testing.T) {
	server := newScripted(t)
	ctx, cancel := context.WithCancel(t.Context())
	server.afterDot = func(c net.Conn) {
		cancel()
		io.WriteString(c, "250 2.0.0 Ok: queued as A1B2C3\r\n")
		io.Copy(io.Discard, c)
	}
	receipt, err := mailer(t, server.address).Apply(ctx, theCall())
	require.NoError(t, err)
	require.Contains(t, receipt.Detail, "A1B2C3")
	server.requireMails(1)
}

func TestMailThatTheServerFindsTooLarge(t *testing.T) {
	server := newScripted(t)
	server.says["EHLO"] = "250-mail.example.com\r\n250 SIZE 200"
	requireFault(t, apply(t, mailer(t, server.address), theCall()), faults.Permanent, "mail_too_large")
	require.Equal(t, []string{"EHLO"}, server.commands())
	server.requireMails(0)
}

// Two calls at a time share nothing.
func TestConcurrentMails(t *testing.T) {
	server := newScripted(t)
	tool := mailer(t, server.address)
	const n = 16
	errs := make(chan error, n)
	for range n {
		go func() {
			_, err := tool.Apply(context.WithoutCancel(t.Context()), theCall())
			errs <- err
		}()
	}
	for range n {
		require.NoError(t, <-errs)
	}
	server.requireMails(n)
}
