package devserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	// attempts bounds how often a start is tried again on other ports. The
	// server picks further ports for its inner services, which may be lost to
	// somebody else in the same way.
	attempts = 5
	// startLimit is for one attempt: half a second on an idle machine, but a
	// test run may keep all cores busy.
	startLimit = time.Minute
)

// errEnded says that a server process ended before it was ready.
var errEnded = errors.New("temporal server start-dev ended before it was ready")

// errStranger says that somebody else listens on the port.
var errStranger = errors.New("the port was taken by another process")

// Server is a development server. Its methods are not for concurrent use,
// except Address, UIAddress and Done.
type Server struct {
	options  Options
	at       ports
	process  *process
	database database
	log      logFile
}

// Start starts a server and returns when it is ready. When ctx ends first,
// nothing is left running.
func Start(ctx context.Context, options Options) (*Server, error) {
	return start(ctx, options, freePorts)
}

func start(ctx context.Context, options Options, pick func(ctx context.Context, ui bool) (ports, error)) (*Server, error) {
	s := &Server{
		options:  options,
		database: database{file: options.DBFile},
		log:      logFile{path: options.LogFile},
	}
	err := s.launch(ctx, func() (err error) {
		s.at, err = pick(ctx, options.UI)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Address is where clients connect, as host:port.
func (s *Server) Address() string { return hostPort(s.at.frontend) }

// UIAddress is the Web UI's URL, or empty when there is none.
func (s *Server) UIAddress() string {
	if s.at.ui == 0 {
		return ""
	}
	return "http://" + hostPort(s.at.ui)
}

// PID is the server's process ID.
func (s *Server) PID() int { return s.process.child.Pid }

// Done is closed when the server that runs now has ended.
func (s *Server) Done() <-chan struct{} { return s.process.gone }

// Stop ends the server in good order, and kills it when it takes too long.
// A server in memory forgets everything.
func (s *Server) Stop() error {
	err := s.process.terminate()
	s.database.release()
	return errors.Join(err, s.log.remove())
}

// Kill ends the server as a power cut would. Call Stop as well when it is not
// started again.
func (s *Server) Kill() error { return s.process.kill() }

// Restart starts the server again on the same ports and database file, after
// stopping it if it runs, and returns when it is ready.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.Stop(); err != nil {
		return err
	}
	return s.launch(ctx, func() error { return nil })
}

// launch tries to start the server on the ports that choose sets, a few times.
func (s *Server) launch(ctx context.Context, choose func() error) error {
	if err := s.database.acquire(); err != nil {
		return err
	}
	var err error
	for range attempts {
		if err = choose(); err != nil {
			break
		}
		if err = s.attempt(ctx); err == nil {
			return nil
		}
		if ctx.Err() != nil || !errors.Is(err, errEnded) && !errors.Is(err, errStranger) {
			break
		}
	}
	s.database.release()
	return errors.Join(err, s.log.remove())
}

func (s *Server) attempt(ctx context.Context) (err error) {
	log, logStart, err := s.log.open()
	if err != nil {
		return fmt.Errorf("server log: %w", err)
	}
	defer log.Close()
	fresh := s.options.DBFile != "" && !s.database.exists()
	child, err := startProcess(s.options.CLI, s.options.args(s.at), log, s.database.held()...)
	if err != nil {
		return fmt.Errorf("start the temporal CLI: %w", err)
	}
	s.process = child
	err = s.awaitReady(ctx)
	if err == nil {
		return nil
	}
	err = errors.Join(err, s.process.kill())
	if fresh {
		err = errors.Join(err, s.database.discard())
	}
	if tail := s.log.tail(logStart); tail != "" {
		err = fmt.Errorf("%w\nthe server printed:\n%s", err, tail)
	}
	return err
}

// awaitReady returns nil when the process that was started is healthy, listens
// itself where it should, and knows the search attributes.
func (s *Server) awaitReady(parent context.Context) error {
	ctx, cancel := context.WithTimeoutCause(parent, startLimit,
		fmt.Errorf("server not ready after %s", startLimit))
	defer cancel()
	ctx, ended := context.WithCancelCause(ctx)
	defer ended(nil)
	gone := s.process.gone
	go func() {
		select {
		case <-gone:
			ended(errEnded)
		case <-ctx.Done():
		}
	}()

	probe, err := newProbe(s.Address(), s.options.namespace())
	if err != nil {
		return err
	}
	defer probe.close()
	if err := poll(ctx, probe.healthy); err != nil {
		return err
	}
	if err := s.ownsPort(ctx, s.at.frontend); err != nil {
		return err
	}
	if s.options.UI {
		if err := s.ownsPort(ctx, s.at.ui); err != nil {
			return err
		}
	}
	if err := probe.register(ctx, s.options.SearchAttributes); err != nil {
		return err
	}
	return context.Cause(ctx) // the process may have ended just now
}

// ownsPort waits until somebody listens on the port and returns nil when that
// is the server process.
func (s *Server) ownsPort(ctx context.Context, port int) error {
	err := poll(ctx, func(ctx context.Context) error {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp4", hostPort(port))
		if err != nil {
			return err
		}
		return conn.Close()
	})
	if err != nil {
		return err
	}
	owned, err := ownsListener(s.PID(), port)
	if err != nil {
		return fmt.Errorf("look up the listener of port %d: %w", port, err)
	}
	if !owned {
		return fmt.Errorf("port %d: %w", port, errStranger)
	}
	return nil
}
