package mail

import (
	"io"
	"net"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
)

var dateField = regexp.MustCompile(`(?m)^Date: .*\n`)

// The server stores the mail, and says so only when nobody waits any more: 40 s
// to a limit of 10 s in the case, and for ever to one second here.
func TestC028_MailAcceptedAndTheAnswerNeverSeen(t *testing.T) {
	server := newScripted(t)
	answered := make(chan struct{})
	release := sync.OnceFunc(func() { close(answered) })
	t.Cleanup(release)
	server.afterDot = func(c net.Conn) {
		<-answered
		io.WriteString(c, "250 2.0.0 Ok: queued as A1B2C3\r\n")
	}
	tool, protocol := mailer(t, server.address), newProtocol(t)

	_, err := protocol.Run(t.Context(), tool, theCall(), 1, "acme")
	fault := requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
	require.Contains(t, fault.Reason, theID)
	server.requireMails(1)
	release()

	// Whoever tries again is told the same, and no connection is made.
	for attempt := 2; attempt <= 3; attempt++ {
		_, err = protocol.Run(t.Context(), tool, theCall(), attempt, "acme")
		requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
	}
	require.Equal(t, 1, server.dials())
	server.requireMails(1)

	// A person looked, found no mail, and orders the resend.
	server.afterDot = nil
	settle(t, protocol)
	out, err := protocol.Run(t.Context(), tool, theCall(), 4, "acme")
	require.NoError(t, err)
	require.Equal(t, "<"+theID+">", out.Receipt.Ref)
	server.requireMails(2)
	mails := server.received()
	require.Equal(t, dateField.ReplaceAllString(mails[0], ""), dateField.ReplaceAllString(mails[1], ""), "but for its date it is the same mail")

	out, err = protocol.Run(t.Context(), tool, theCall(), 5, "acme")
	require.NoError(t, err)
	require.True(t, out.Duplicate)
	require.Equal(t, 2, server.dials())
}

// settle is a person's word that the mail did not go out, given as soon as no
// call can be under way any more.
func settle(t *testing.T, p *effects.Protocol) {
	t.Helper()
	rows, err := p.Ledger.Rows(t.Context(), []string{theKey})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, effects.Started, rows[0].State)
	require.Eventually(t, func() bool {
		settled, err := p.Ledger.Settle(t.Context(), effects.Settlement{
			Key: theKey, Token: rows[0].Token, Reason: "mei.chen@example.com: no such mail in the archive",
		})
		require.NoError(t, err)
		return settled.Changed
	}, 20*time.Second, 20*time.Millisecond)
}

// C017 for mail within one process: nothing of the attempt runs after the
// server's answer, and no receipt is stored.
func TestMailAttemptThatEndsAfterTheEffectIsLeftToAPerson(t *testing.T) {
	server := newScripted(t)
	tool, protocol := mailer(t, server.address), newProtocol(t)
	endedAt(t, protocol, tool, effects.PointEffect)
	server.requireMails(1)

	requireFault(t, retried(t, protocol, tool), faults.Unknown, faults.CodeOutcomeUnknown)
	require.Equal(t, 1, server.dials(), "nothing is sent on a guess")
	server.requireMails(1)
}

// retried makes attempts for as long as one is told to come back.
func retried(t *testing.T, p *effects.Protocol, tool tools.Tool) error {
	t.Helper()
	for attempt := 2; ; attempt++ {
		_, err := p.Run(t.Context(), tool, theCall(), attempt, "acme")
		if faults.ClassOf(err) != faults.InProgress {
			return err
		}
		require.Less(t, attempt, 30, "%v", err)
		time.Sleep(faults.Name(err).RetryAfter)
	}
}

// endedAt is an attempt that ends at a point, as if its process were gone:
// nothing after it runs.
func endedAt(t *testing.T, p *effects.Protocol, tool tools.Tool, point effects.Point) {
	t.Helper()
	dying := *p
	dying.Reached = func(at effects.Point) {
		if at == point {
			runtime.Goexit()
		}
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		dying.Run(t.Context(), tool, theCall(), 1, "acme")
	}()
	<-gone
	rows, err := p.Ledger.Rows(t.Context(), []string{theKey})
	require.NoError(t, err)
	require.Equal(t, effects.Started, rows[0].State)
}

// What is surely not sent needs no person: the next attempt sends it.
func TestRefusedForNowIsSentByTheNextAttempt(t *testing.T) {
	server := newScripted(t)
	tool, protocol := mailer(t, server.address), newProtocol(t)
	for _, verb := range []string{"", "MAIL", "RCPT TO:<mei@example.com>", "DATA", "."} {
		server.says = map[string]string{verb: "451 4.3.0 later"}
		_, err := protocol.Run(t.Context(), tool, theCall(), 1, "acme")
		require.Equal(t, faults.Transient, faults.ClassOf(err), "%q: %v", verb, err)
	}
	server.requireMails(0)
	server.says = nil
	out, err := protocol.Run(t.Context(), tool, theCall(), 2, "acme")
	require.NoError(t, err)
	require.False(t, out.Recovered)
	server.requireMails(1)
}
