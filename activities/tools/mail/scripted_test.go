package mail

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// scripted is a mail server that says what a test wants. It keeps the mails
// whose final dot it has seen and did not refuse.
type scripted struct {
	t       *testing.T
	address string

	mu          sync.Mutex
	says        map[string]string // the answer to a verb, instead of the usual one
	afterDot    func(net.Conn)    // speaks instead of the usual answer to the dot
	beforeDot   func(net.Conn)    // called when DATA was answered, instead of reading the mail
	mails       []string
	connections int
	heard       []string // commands
}

func newScripted(t *testing.T) *scripted {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &scripted{t: t, address: listener.Addr().String(), says: map[string]string{}}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer conn.Close()
				s.serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		open.Wait()
	})
	return s
}

// serve is one connection.
func (s *scripted) serve(conn net.Conn) {
	s.mu.Lock()
	s.connections++
	s.mu.Unlock()
	if !s.say(conn, "", "220 mail.example.com ready") {
		return
	}
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.mu.Lock()
		s.heard = append(s.heard, line)
		s.mu.Unlock()
		if !s.answer(conn, lines, line) {
			return
		}
	}
}

func (s *scripted) answer(conn net.Conn, lines *bufio.Reader, line string) bool {
	verb, _, _ := strings.Cut(strings.ToUpper(line), " ")
	switch verb {
	case "EHLO":
		return s.say(conn, verb, "250-mail.example.com\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 100000")
	case "RCPT":
		return s.say(conn, line, "250 2.1.5 ok")
	case "DATA":
		if !s.say(conn, verb, "354 go on") {
			return false
		}
		if s.beforeDot != nil {
			s.beforeDot(conn)
			return false
		}
		raw, err := textproto.NewReader(lines).ReadDotBytes()
		return err == nil && s.took(conn, string(raw))
	case "QUIT":
		s.say(conn, verb, "221 bye")
		return false
	default:
		return s.say(conn, verb, "250 2.0.0 ok")
	}
}

// took is the end of a mail.
func (s *scripted) took(conn net.Conn, raw string) bool {
	s.mu.Lock()
	if !strings.HasPrefix(s.says["."], "4") && !strings.HasPrefix(s.says["."], "5") {
		s.mails = append(s.mails, raw)
	}
	after := s.afterDot
	s.mu.Unlock()
	if after != nil {
		after(conn)
		return false
	}
	return s.say(conn, ".", "250 2.0.0 Ok: queued as A1B2C3")
}

// say answers, and reports whether the connection goes on. The answer "-" ends
// it.
func (s *scripted) say(conn net.Conn, to, usual string) bool {
	s.mu.Lock()
	told, ok := s.says[to]
	s.mu.Unlock()
	if !ok {
		told = usual
	}
	if told == "-" {
		return false
	}
	_, err := io.WriteString(conn, told+"\r\n")
	return err == nil
}

// received are the mails so far.
func (s *scripted) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.mails...)
}

// commands are the verbs so far.
func (s *scripted) commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var verbs []string
	for _, line := range s.heard {
		verb, _, _ := strings.Cut(line, " ")
		verbs = append(verbs, verb)
	}
	return verbs
}

func (s *scripted) dials() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

// requireMails wants so many mails, all with the Message-ID of theKey.
func (s *scripted) requireMails(want int) {
	s.t.Helper()
	got := s.received()
	require.Len(s.t, got, want)
	for _, raw := range got {
		require.Contains(s.t, raw, fmt.Sprintf("Message-ID: <%s>\n", theID))
	}
}
