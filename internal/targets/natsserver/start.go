package natsserver

import "testing"

// Start launches a server for one test, and ends it with the test.
func Start(tb testing.TB) *Server {
	tb.Helper()
	return StartWith(tb, Options{})
}

// StartWith is Start with options.
func StartWith(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Launch(o)
	if err != nil {
		tb.Fatalf("launch a NATS server: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("end the NATS server: %v", err)
		}
	})
	return s
}
