package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdpoint/holdpoint/internal/targets/child"
)

// Options are how a cluster runs. The zero value suits most tests.
type Options struct {
	// Durable makes a commit wait for the disk, as in production. Without it a
	// commit survives the death of the server, and not that of the machine.
	Durable bool
	// Settings are further server settings by name, as in postgresql.conf.
	Settings map[string]string
}

const (
	// superuser owns the cluster, and is whom URLs name.
	superuser = "postgres"
	// startTimeout bounds the wait for a server to take connections. Recovery
	// after a kill on a busy machine takes seconds.
	startTimeout = 60 * time.Second
	// startAttempts is how many ports are tried when somebody else takes one.
	startAttempts = 3
	// immediate is PostgreSQL's signal for a shutdown without clean-up: the next
	// start recovers from the log.
	immediate = syscall.SIGQUIT
)

// Server is one cluster with its data. Its methods are safe for concurrent
// use.
type Server struct {
	dir      string // holds the data, the Unix socket and the log
	bin      string
	account  account
	settings []string
	address  string
	password string

	databases atomic.Int64

	mu      sync.Mutex     // guards what is below, through starts and ends
	process *child.Process // nil before the first start and after an end
	killed  bool           // the last end was a kill
}

// Launch makes a cluster and starts it. The error is ErrNoPostgreSQL where the
// programs are missing. ctx bounds the launch only.
func Launch(ctx context.Context, options Options) (_ *Server, err error) {
	bin, err := look()
	if err != nil {
		return nil, err
	}
	owner, err := serverAccount()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, bin: bin, account: owner, password: rand.Text(), settings: options.arguments()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := s.initialize(ctx); err != nil {
		return nil, err
	}
	for range startAttempts {
		var free []string
		if free, err = child.FreePorts(ctx, 1); err != nil {
			return nil, err
		}
		s.address = free[0]
		if err = s.Start(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// arguments are the options as arguments of the server program.
func (o Options) arguments() []string {
	settings := map[string]string{
		"max_connections": "300", // a test's callers, all at once
		"shared_buffers":  "32MB",
		"timezone":        "UTC",
	}
	if !o.Durable {
		settings["fsync"], settings["full_page_writes"] = "off", "off"
	}
	maps.Copy(settings, o.Settings)
	var arguments []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		arguments = append(arguments, "-c", name+"="+settings[name])
	}
	return arguments
}

// initialize makes the cluster's data.
func (s *Server) initialize(ctx context.Context) error {
	secret := filepath.Join(s.dir, "password")
	if err := os.WriteFile(secret, []byte(s.password+"\n"), 0o600); err != nil {
		return err
	}
	for _, path := range []string{s.dir, secret} {
		if err := s.account.give(path); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "--pgdata="+s.data(), "--username="+superuser, "--pwfile="+secret,
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	cmd.Dir = s.dir
	cmd.SysProcAttr = s.account.attributes()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return os.Remove(secret)
}

// Start starts a cluster that was stopped or killed, on the port that it had,
// and returns when it takes connections. It does nothing to one that runs.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil && s.process.Running() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		p, err := s.spawn()
		if err != nil {
			return err
		}
		s.process = p
		err = s.ready(ctx)
		if err == nil {
			s.killed = false
		}
		if err == nil || p.Running() {
			return err
		}
		// After a kill the old server's children keep its memory for a moment,
		// and a new one ends at once.
		if !s.killed || pause(ctx, 50*time.Millisecond) != nil {
			return fmt.Errorf("the server ended while it started; its log:\n%s", s.Log())
		}
	}
}

// spawn starts a postmaster.
func (s *Server) spawn() (*child.Process, error) {
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), append([]string{ //nolint:noctx // it lives until it is stopped
		"-D", s.data(), "-p", port, "-c", "listen_addresses=" + host, "-c", "unix_socket_directories=" + s.dir,
	}, s.settings...)...)
	cmd.Dir = s.dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = s.account.attributes()
	return child.StartAlone(cmd, immediate) // a postmaster ends its children
}

// ready waits until the server takes connections, or has ended.
func (s *Server) ready(ctx context.Context) error {
	for {
		err := s.Exec(ctx, "postgres", `SELECT 1`)
		if err == nil || !s.process.Running() {
			return err
		}
		if paused := pause(ctx, 10*time.Millisecond); paused != nil {
			return fmt.Errorf("the server takes no connections: %w; its log:\n%s", errors.Join(paused, err), s.Log())
		}
	}
}

// Stop shuts the cluster down at once, as an operator in a hurry would:
// connections are cut, and the next start recovers.
func (s *Server) Stop() error { return s.end(immediate) }

// Kill kills the postmaster as kill -9 does. Its children end by themselves a
// moment later; until then they may still commit.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

func (s *Server) end(by syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return nil
	}
	defer func() { s.process, s.killed = nil, by == syscall.SIGKILL }()
	if err := s.process.End(by); err != nil {
		return fmt.Errorf("the postmaster: %w", err)
	}
	return nil
}

// Close stops the cluster and removes its data.
func (s *Server) Close() error {
	return errors.Join(s.Stop(), os.RemoveAll(s.dir))
}

// URL is the address of a database of this cluster, with a password that only
// this cluster takes.
func (s *Server) URL(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, s.password), Host: s.Address(), Path: "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Address is where the cluster listens, for a proxy before it.
func (s *Server) Address() string { return s.address }

// CreateDatabase makes a fresh, empty database and returns its URL.
func (s *Server) CreateDatabase(ctx context.Context) (string, error) {
	name := fmt.Sprintf("test_%d", s.databases.Add(1))
	if err := s.Exec(ctx, "postgres", `CREATE DATABASE `+name); err != nil {
		return "", err
	}
	return s.URL(name), nil
}

// Exec runs one statement in a database, on a connection of its own.
func (s *Server) Exec(ctx context.Context, database, statement string, arguments ...any) error {
	conn, err := pgx.Connect(ctx, s.URL(database))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement, arguments...)
	return errors.Join(err, conn.Close(ctx))
}

// Log is what the server has said: its last 8,000 bytes.
func (s *Server) Log() string {
	const most = 8000
	text, err := os.ReadFile(s.logFile())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

func (s *Server) data() string    { return filepath.Join(s.dir, "data") }
func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }

// pause waits, or returns why it could not.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
