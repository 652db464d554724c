package gitea

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/holdpoint/holdpoint/internal/pgtest"
	"github.com/holdpoint/holdpoint/internal/targets/child"
)

// Owner is the account that owns every repository, and whose token Token is.
const Owner = "holdpoint"

// Options are how a server runs. The zero value is Gitea's own defaults.
type Options struct {
	// PageSize is how many issues one answer lists at the most; 50 when left
	// out. A lookup that must rule an issue out needs them all on one page.
	PageSize int
}

const (
	// startTimeout bounds the wait for a server that starts: four seconds on an
	// idle machine.
	startTimeout = 60 * time.Second
	// startAttempts is how many ports are tried when somebody else takes one.
	startAttempts = 3
)

// Server is one Gitea with its data. Its methods are safe for concurrent use,
// except Close.
type Server struct {
	options      Options
	dir          string // holds the configuration, the data and the log
	installation installation
	database     *pgtest.Server
	process      *child.Process
	address      string
	token        string
}

// Launch makes a Gitea and starts it. The error is ErrNoGitea, or
// pgtest.ErrNoPostgreSQL, where the programs are missing. ctx bounds the launch
// only.
func Launch(ctx context.Context, options Options) (_ *Server, err error) {
	installation, err := look(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gitea-")
	if err != nil {
		return nil, err
	}
	s := &Server{options: options, dir: dir, installation: installation}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.database, err = pgtest.Launch(ctx, pgtest.Options{}); err != nil {
		return nil, err
	}
	database, err := s.database.CreateDatabase(ctx)
	if err != nil {
		return nil, err
	}
	for range startAttempts {
		if err = s.startAnywhere(ctx, database); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// startAnywhere starts the server on a free port, and makes the account when
// it is not there yet.
func (s *Server) startAnywhere(ctx context.Context, database string) error {
	addresses, err := child.FreePorts(ctx, 1)
	if err != nil {
		return err
	}
	if err := s.configure(addresses[0], database); err != nil {
		return err
	}
	if s.token == "" {
		if err := s.makeAccount(ctx); err != nil {
			return err
		}
	}
	return s.start(ctx)
}

// start starts the server, and returns when it can be used.
func (s *Server) start(ctx context.Context) error {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := s.command(context.WithoutCancel(ctx), "web") // it lives until it is stopped
	cmd.Stdout, cmd.Stderr = log, log
	if s.process, err = child.Start(cmd); err != nil {
		return fmt.Errorf("start Gitea: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := s.awaitHealth(ctx); err != nil {
		return fmt.Errorf("%w; its log:\n%s", errors.Join(err, s.process.Kill()), s.Log())
	}
	return nil
}

// printedToken is where `gitea admin user create` shows the token.
var printedToken = regexp.MustCompile(`[Aa]ccess token was successfully created\W+([0-9a-f]{40})`)

// makeAccount makes the database's tables and the account.
func (s *Server) makeAccount(ctx context.Context) error {
	if out, err := s.command(ctx, "migrate").CombinedOutput(); err != nil {
		return fmt.Errorf("gitea migrate: %w: %s", err, out)
	}
	out, err := s.command(ctx, "admin", "user", "create", "--admin", "--username", Owner, "--email", "holdpoint@example.com",
		"--password", rand.Text(), "--must-change-password=false", "--access-token", "--access-token-scopes", "all").CombinedOutput()
	if err != nil {
		return fmt.Errorf("gitea admin user create: %w: %s", err, out)
	}
	token := printedToken.FindSubmatch(out)
	if token == nil {
		return errors.New("gitea admin user create printed no token")
	}
	s.token = string(token[1])
	return nil
}

// command runs the program for this server. The rule against root is for
// servers that others can reach.
func (s *Server) command(ctx context.Context, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.installation.program, append(arguments, "--config", s.configFile())...)
	cmd.Dir = s.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + s.dir, "GITEA_WORK_DIR=" + s.dir,
		"GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT=true",
	}
	return cmd
}

// awaitHealth waits until the server that was started says that it is well.
func (s *Server) awaitHealth(ctx context.Context) error {
	for {
		err := s.call(ctx, http.MethodGet, "/api/healthz", nil, nil)
		if err == nil {
			err = s.knowsToken(ctx) // and it is no stranger's
		}
		if err == nil {
			return nil
		}
		select {
		case <-s.process.Gone():
			return errors.New("the server ended while it started")
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", errors.Join(ctx.Err(), err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// URL is the server's, without a slash at its end.
func (s *Server) URL() string { return "http://" + s.address }

// Address is where the server listens, for a proxy before it.
func (s *Server) Address() string { return s.address }

// Token is an access token of Owner, for everything.
func (s *Server) Token() string { return s.token }

// Log is what the server has said: its last 8,000 bytes.
func (s *Server) Log() string {
	const most = 8000
	text, err := os.ReadFile(s.logFile())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

// Close ends the server and removes its data.
func (s *Server) Close() error {
	var errs []error
	if s.process != nil {
		errs = append(errs, s.process.Kill())
	}
	if s.database != nil {
		errs = append(errs, s.database.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }
