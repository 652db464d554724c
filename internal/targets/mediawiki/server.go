package mediawiki

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/holdpoint/holdpoint/internal/targets/child"
)

// Options are how a wiki runs. The zero value suits most tests.
type Options struct {
	// Merge leaves MediaWiki's merging of edits on, as it is by default.
	Merge bool
	// Processes is how many requests are handled at a time; 2 at the least.
	Processes int
}

// startTimeout bounds the wait for the first answers, which fill the caches.
const startTimeout = 60 * time.Second

// Server is a wiki with its data. Its methods are safe for concurrent use,
// except Close.
type Server struct {
	dir          string // holds the data, the settings and the log
	installation installation
	address      string
	pool         *pool
	front        *http.Server
}

// Launch makes a wiki and starts it. The error is ErrNoMediaWiki where the
// programs are missing. ctx bounds the launch only.
func Launch(ctx context.Context, options Options) (_ *Server, err error) {
	installation, err := look()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mediawiki-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, installation: installation}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.address = listener.Addr().String()
	err = s.install(ctx, s.URL(), options)
	if err == nil {
		err = s.start(ctx, max(options.Processes, 2))
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s.front = &http.Server{Handler: s.pool, ReadHeaderTimeout: startTimeout}
	go s.front.Serve(listener) //nolint:errcheck // it ends with Close
	return s, nil
}

// start starts the PHP servers, and returns when each has answered once.
func (s *Server) start(ctx context.Context, processes int) error {
	addresses, err := child.FreePorts(ctx, processes)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if s.pool, err = s.startPool(addresses, log); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for i, address := range addresses {
		if err := s.awaitAnswer(ctx, address, s.pool.processes[i]); err != nil {
			return fmt.Errorf("%w; its log:\n%s", err, s.Log())
		}
	}
	return nil
}

// awaitAnswer waits until a PHP server answers for the wiki.
func (s *Server) awaitAnswer(ctx context.Context, address string, process *child.Process) error {
	for {
		_, err := query(ctx, "http://"+address, nil)
		if err == nil {
			return nil
		}
		select {
		case <-process.Gone():
			return errors.New("PHP ended while it started")
		case <-ctx.Done():
			return fmt.Errorf("the wiki does not answer: %w", errors.Join(ctx.Err(), err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// URL is the wiki's, without a slash at its end.
func (s *Server) URL() string { return "http://" + s.address }

// Address is where the wiki listens, for a proxy before it.
func (s *Server) Address() string { return s.address }

// Log is what PHP has said: its last 8,000 bytes.
func (s *Server) Log() string {
	const most = 8000
	text, err := os.ReadFile(s.logFile())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

// Close ends the wiki and removes its data.
func (s *Server) Close() error {
	var errs []error
	if s.front != nil {
		errs = append(errs, s.front.Close())
	}
	if s.pool != nil {
		errs = append(errs, s.pool.kill())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }
