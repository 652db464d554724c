package gitdaemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/holdpoint/holdpoint/internal/targets/child"
)

// ErrNoDaemon says that this machine has no git, or one without its daemon.
var ErrNoDaemon = errors.New("no git in PATH, or no git-daemon in its exec path")

// Server serves the repositories below one folder. Its methods are safe for
// concurrent use.
type Server struct {
	git string
	dir string

	mu       sync.Mutex
	address  string       // of the first listener, kept for good
	listener net.Listener // nil while the server is down
	sessions map[*child.Process]struct{}
	ended    sync.WaitGroup // for the accept loop and each session
}

// Launch serves all repositories below dir until Close. The address is a free
// port of 127.0.0.1. ctx bounds the launch only.
func Launch(ctx context.Context, dir string) (*Server, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNoDaemon
	}
	folder, err := exec.CommandContext(ctx, git, "--exec-path").Output()
	if err != nil {
		return nil, fmt.Errorf("git --exec-path: %w", err)
	}
	if _, err := exec.LookPath(filepath.Join(strings.TrimSpace(string(folder)), "git-daemon")); err != nil {
		return nil, ErrNoDaemon
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	s := &Server{git: git, dir: dir, address: "127.0.0.1:0", sessions: make(map[*child.Process]struct{})}
	return s, s.Start(ctx)
}

// Start serves again after a Kill, at the same address; it does nothing while
// the server runs.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.address)
	if err != nil {
		return err
	}
	s.listener, s.address = listener, listener.Addr().String()
	s.ended.Go(func() { s.accept(listener) })
	return nil
}

// Address is the server's host and port.
func (s *Server) Address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.address
}

// URL is the address of the repository in a folder below the server's own.
func (s *Server) URL(repository string) string {
	return "git://" + s.Address() + "/" + filepath.ToSlash(repository)
}

// Kill ends the server as a crash would: it takes no connection any more, and
// what is under way, hooks included, is killed.
func (s *Server) Kill() error {
	s.mu.Lock()
	var err error
	if s.listener != nil {
		err = s.listener.Close()
		s.listener = nil
	}
	under := slices.Collect(maps.Keys(s.sessions))
	s.mu.Unlock()
	for _, session := range under {
		err = errors.Join(err, session.Kill())
	}
	s.ended.Wait()
	return err
}

// Close ends the server for good. The repositories stay.
func (s *Server) Close() error { return s.Kill() }

// accept gives each connection a daemon of its own, which inherits the socket
// as inetd's would: so no other process can take the port in between, and each
// session can be killed with all of its children.
func (s *Server) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return // closed by Kill
		}
		s.serve(listener, conn)
	}
}

func (s *Server) serve(listener net.Listener, conn net.Conn) {
	defer conn.Close() // the daemon has its own copy
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	socket, err := tcp.File()
	if err != nil {
		return
	}
	defer socket.Close()

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != listener {
		return
	}
	cmd := exec.Command(s.git, "daemon", "--inetd", "--export-all", "--informative-errors", //nolint:noctx // Kill ends it
		"--enable=receive-pack", "--base-path="+s.dir, s.dir)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	}
	cmd.Stdin, cmd.Stdout = socket, socket
	session, err := child.Start(cmd)
	if err != nil {
		return
	}
	s.sessions[session] = struct{}{}
	s.ended.Go(func() {
		<-session.Gone()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.sessions, session)
	})
}
