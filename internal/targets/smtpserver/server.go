// Package smtpserver runs a real mail server as a process, for tests and
// rehearsals: Mailpit, which takes mails, delivers none, and can be asked for
// those that it has. It listens on the loopback interface only, and keeps its
// mails in a temporary folder: one that is stopped or killed and started again
// has the same address and the same mails.
package smtpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/holdpoint/holdpoint/internal/targets/child"
)

// readyTimeout bounds a start.
const readyTimeout = 30 * time.Second

// launches is how often Launch tries, when others take the ports that it found
// free.
const launches = 3

// Options are what a server is launched with. The zero value, but for Program,
// takes mails in clear and from anybody.
type Options struct {
	// Program is the mailpit executable.
	Program string
	// TLS is when connections become TLS: StartTLS or ImplicitTLS, and then
	// nothing is taken in clear. The server's certificate is for 127.0.0.1.
	TLS TLS
	// Users are those who may send mail, by name, with their passwords; empty is
	// everybody. It needs TLS.
	Users map[string]string
	// Recipients is a regular expression of the addresses that are taken; empty
	// is all.
	Recipients string
}

// TLS is a way to TLS.
type TLS int

// The ways.
const (
	NoTLS TLS = iota
	StartTLS
	ImplicitTLS
)

// Server is a mail server. It is safe for concurrent use.
type Server struct {
	options   Options
	folder    string
	smtp, api string // host:port

	mu      sync.Mutex
	process *child.Process // nil while stopped
}

// Launch starts a server on free ports. The caller closes it.
func Launch(ctx context.Context, o Options) (*Server, error) {
	folder, err := os.MkdirTemp("", "smtpserver-")
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, folder: folder}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for range launches {
		ports, portErr := child.FreePorts(ctx, 2)
		if portErr != nil {
			return nil, errors.Join(portErr, s.Close())
		}
		s.smtp, s.api = ports[0], ports[1]
		if err = s.Start(ctx); err == nil {
			return s, nil
		}
	}
	return nil, errors.Join(err, s.Close())
}

// prepare writes the files that the server reads.
func (s *Server) prepare() error {
	if s.options.TLS != NoTLS {
		if err := writeCertificate(s.folder); err != nil {
			return err
		}
	}
	var users strings.Builder
	for name, password := range s.options.Users {
		fmt.Fprintf(&users, "%s:%s\n", name, password)
	}
	return os.WriteFile(s.path("users"), []byte(users.String()), 0o600)
}

// Start starts a stopped server again, at the address that it had. A server
// that runs is left alone.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		return nil
	}
	log, err := os.OpenFile(s.path("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(s.options.Program, s.arguments()...) //nolint:noctx // it outlives this call
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = []string{"TMPDIR=" + s.folder, "HOME=" + s.folder} // Mailpit reads its settings from there too
	process, err := child.Start(cmd)
	if err != nil {
		return fmt.Errorf("mail server: %w", err)
	}
	if err := s.ready(ctx, process); err != nil {
		return errors.Join(err, process.Kill())
	}
	s.process = process
	return nil
}

func (s *Server) arguments() []string {
	a := []string{
		"--smtp", s.smtp, "--listen", s.api, "--database", s.path("mail.db"), "--max", "0",
		"--disable-version-check", "--smtp-disable-rdns", "--quiet",
	}
	if s.options.TLS != NoTLS {
		a = append(a, "--smtp-tls-cert", s.path(certificateFile), "--smtp-tls-key", s.path(keyFile))
	}
	switch s.options.TLS {
	case StartTLS:
		a = append(a, "--smtp-require-starttls")
	case ImplicitTLS:
		a = append(a, "--smtp-require-tls")
	case NoTLS:
	}
	if len(s.options.Users) > 0 {
		a = append(a, "--smtp-auth-file", s.path("users"))
	}
	if s.options.Recipients != "" {
		a = append(a, "--smtp-allowed-recipients", s.options.Recipients)
	}
	return a
}

// ready waits until the process takes mails and answers questions.
func (s *Server) ready(ctx context.Context, process *child.Process) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		if s.answers(ctx) {
			select {
			case <-process.Gone(): // then it is another one's answer
			default:
				return nil
			}
		}
		select {
		case <-process.Gone():
			return errors.New("mail server: it ended at once; another program may have its port")
		case <-ctx.Done():
			return errors.New("mail server: not ready in time")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Server) answers(ctx context.Context) bool {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", s.smtp)
	if err != nil {
		return false
	}
	conn.Close()
	return s.get(ctx, "/readyz", nil, nil) == nil
}

// Stop ends the server as an operator does. Its mails stay.
func (s *Server) Stop() error { return s.end((*child.Process).Stop) }

// Kill ends it as kill -9 does. The mails that it has answered for stay.
func (s *Server) Kill() error { return s.end((*child.Process).Kill) }

func (s *Server) end(how func(*child.Process) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return nil
	}
	err := how(s.process)
	s.process = nil
	return err
}

// Close ends the server and removes its mails.
func (s *Server) Close() error { return errors.Join(s.Kill(), os.RemoveAll(s.folder)) }

// Address is where mails are taken, as host:port. It stays the same.
func (s *Server) Address() string { return s.smtp }

// CAFile is the path of the certificate of the authority that the server's own
// is from; a client of the server trusts it. Empty without TLS.
func (s *Server) CAFile() string {
	if s.options.TLS == NoTLS {
		return ""
	}
	return s.path(authorityFile)
}

func (s *Server) path(name string) string { return filepath.Join(s.folder, name) }
