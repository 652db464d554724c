package scripted

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options are a server's.
type Options struct {
	// KeyHeader is the header by which the server deduplicates orders; empty:
	// it does not.
	KeyHeader string
	// Window is how long a key is remembered, from its first arrival on; 0 is
	// for ever.
	Window time.Duration
	// Lag is how long an order is not yet shown by the search.
	Lag time.Duration
	// Delay lies before everything.
	Delay time.Duration
	// TLS makes it an HTTPS server.
	TLS *tls.Config
	// Address is 127.0.0.1 and a free port when empty.
	Address string
}

// Server is a target. It is safe for concurrent use.
type Server struct {
	URL     string
	Address string // host:port

	options Options
	server  *http.Server

	mu     sync.Mutex
	script []Answer
	rest   *Answer // when the script is over
	writes []Request
	reads  []Request
	orders []order
	keys   map[string]remembered
	pages  map[string][]version
}

// Request is one that arrived.
type Request struct {
	Method, URI string // as they stood in the request line
	Header      http.Header
	Body        string
	At          time.Time
}

// Start starts a server.
func Start(o Options) (*Server, error) {
	address := o.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, Address: listener.Addr().String(), keys: map[string]remembered{}, pages: map[string][]version{}}
	s.URL = "http://" + s.Address
	if o.TLS != nil {
		s.URL = "https://" + s.Address
		listener = tls.NewListener(listener, o.TLS)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders", s.searchOrders)
	mux.HandleFunc("GET /pages/{name}", s.getPage)
	mux.HandleFunc("GET /pages/{name}/past", s.getPast)
	mux.HandleFunc("PUT /pages/{name}", s.write(s.putPage))
	mux.HandleFunc("/", s.write(s.postOrder))
	s.server = &http.Server{Handler: s.noted(mux), ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	go s.server.Serve(listener) //nolint:errcheck // Close ends it
	return s, nil
}

// Close ends the server and its connections.
func (s *Server) Close() error { return s.server.Close() }

// Script adds answers to the script.
func (s *Server) Script(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, answers...)
}

// Always is the answer when the script is over.
func (s *Server) Always(a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = &a
}

// Writes are the requests that wanted an effect, in the order in which they
// arrived.
func (s *Server) Writes() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.writes...)
}

// Reads are the others.
func (s *Server) Reads() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.reads...)
}

// noted keeps what arrives.
func (s *Server) noted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client hung up in the middle of it
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		got := Request{Method: r.Method, URI: r.RequestURI, Header: r.Header.Clone(), Body: string(body), At: time.Now()}
		s.mu.Lock()
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			s.reads = append(s.reads, got)
		} else {
			s.writes = append(s.writes, got)
		}
		s.mu.Unlock()
		time.Sleep(s.options.Delay)
		next.ServeHTTP(w, r)
	})
}

// effect makes a write's effect and returns the server's own answer.
type effect func(r *http.Request, body string) reply

// write takes a write through the script.
func (s *Server) write(do effect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		must(err)
		a := s.next()
		out := reply{status: http.StatusOK, body: "{}"}
		if !a.NoEffect {
			s.mu.Lock()
			out = do(r, string(body))
			s.mu.Unlock()
		}
		out = out.scripted(a)
		if a.Wait > 0 {
			select {
			case <-time.After(a.Wait):
			case <-r.Context().Done():
			}
		}
		if a.Ending != Whole {
			out.breakOff(w, a)
			return
		}
		out.write(w)
	}
}

func (s *Server) next() Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.script) > 0 {
		a := s.script[0]
		s.script = s.script[1:]
		return a
	}
	if s.rest != nil {
		return *s.rest
	}
	return Answer{}
}

// fields reads a JSON object; an empty one when it is none.
func fields(body string) map[string]any {
	var object map[string]any
	if err := json.Unmarshal([]byte(body), &object); err != nil || object == nil {
		return map[string]any{}
	}
	return object
}

func mustJSON(value any) string {
	raw, err := json.Marshal(value)
	must(err)
	return string(raw)
}

// must ends the request, and no more, of a test server that cannot go on.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
