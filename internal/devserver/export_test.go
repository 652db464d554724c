package devserver

import (
	"context"
	"os"
)

// StartOnTakenPorts is Start whose first tries get the ports that another
// server has. It returns how many tries were made.
func StartOnTakenPorts(ctx context.Context, options Options, taken *Server, tries int) (*Server, int, error) {
	picks := 0
	s, err := start(ctx, options, func(ctx context.Context, ui bool) (ports, error) {
		picks++
		if picks <= tries {
			return taken.at, nil
		}
		return freePorts(ctx, ui)
	})
	return s, picks, err
}

// AwaitReadyBeside waits for a server on the other one's ports to be ready,
// the process that was started for it being one that listens nowhere.
func AwaitReadyBeside(ctx context.Context, other *Server) error {
	idle, err := startProcess("sleep", []string{"300"}, os.Stderr)
	if err != nil {
		return err
	}
	defer idle.kill()
	return (&Server{at: other.at, process: idle}).awaitReady(ctx)
}

// ErrStranger is what AwaitReadyBeside returns.
var ErrStranger = errStranger

// ExitError is how a server that has ended did so; nil means exit code 0.
func (s *Server) ExitError() error { return s.process.err }
