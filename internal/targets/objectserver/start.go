package objectserver

import "testing"

// Start launches a server for one test, and ends it with the test.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Launch(tb.Context(), o)
	if err != nil {
		tb.Fatalf("launch an object store: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("end the object store: %v", err)
		}
	})
	return s
}
