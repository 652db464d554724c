package modelserver

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Options are a server's. The zero Options are one on a free port of
// 127.0.0.1, that knows no answer.
type Options struct {
	Script Script
	Listen string      // host:port; 127.0.0.1 and a free port when empty
	TLS    *tls.Config // makes it an HTTPS server
	// Heard is told of each call, before it is answered; nil is nobody. It may be
	// called by several goroutines at once.
	Heard func(Call)
}

// Server answers from a script. It is safe for concurrent use.
type Server struct {
	// URL is the base of Anthropic's API, and with /v1 that of OpenAI's.
	URL     string
	options Options
	server  *http.Server

	mu     sync.Mutex
	script Script
	given  int // how often the answer at hand was given
	at     int // which answer is at hand
	calls  []Call
}

// Call is a call that took an answer.
type Call struct {
	Number int // from 1 on
	API    API
	Header http.Header
	Body   []byte
	At     time.Time
	Answer Answer // that it took
}

// maxRequest bounds a request's body.
const maxRequest = 64 << 20

// Start starts a server.
func Start(o Options) (*Server, error) {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", o.Listen)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, script: o.Script, URL: "http://" + listener.Addr().String()}
	s.script.Answers = slices.Clone(s.script.Answers)
	if o.TLS != nil {
		s.URL = "https://" + listener.Addr().String()
		listener = tls.NewListener(listener, o.TLS)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.serve(OpenAI))
	mux.HandleFunc("POST /v1/messages", s.serve(Anthropic))
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		write(w, http.StatusNotFound, OpenAI.failure(http.StatusNotFound, Error{Message: "there is nothing at " + r.URL.Path, Code: "unknown_url"}))
	})
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	go s.server.Serve(listener) //nolint:errcheck // Close ends it
	return s, nil
}

// Close ends the server and its connections.
func (s *Server) Close() error { return s.server.Close() }

// OpenAIURL is the base URL for a client of OpenAI's API.
func (s *Server) OpenAIURL() string { return s.URL + "/v1" }

// AnthropicURL is the base URL for a client of Anthropic's API.
func (s *Server) AnthropicURL() string { return s.URL }

// Add adds answers to the script.
func (s *Server) Add(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script.Answers = append(s.script.Answers, answers...)
}

// Calls are those that took an answer, in the order in which they came.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// take keeps a call, and gives it the answer that is next.
func (s *Server) take(c Call) Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Number, c.Answer = len(s.calls)+1, s.next()
	s.calls = append(s.calls, c)
	return c
}

// next is the answer at hand, until it was given as often as it says; then the
// one after it.
func (s *Server) next() Answer {
	if s.at < len(s.script.Answers) {
		a := s.script.Answers[s.at]
		if s.given++; s.given >= a.Times {
			s.at, s.given = s.at+1, 0
		}
		return a
	}
	switch {
	case s.script.Default != nil:
		return *s.script.Default
	case len(s.script.Answers) > 0:
		return s.script.Answers[len(s.script.Answers)-1]
	default:
		return Answer{Status: http.StatusInternalServerError, Error: &Error{Message: "the script has no answers"}}
	}
}

func (s *Server) model(a Answer) string { return first(a.Model, first(s.script.Model, DefaultModel)) }

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, object{"object": "list", "data": []object{
		{"id": s.model(Answer{}), "object": "model", "created": 1_700_000_000, "owned_by": "scripted"},
	}})
}

// serve answers calls of one API. A request that no model's server would take is
// refused, and takes no answer.
func (s *Server) serve(api API) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		if err != nil {
			return // the client hung up in the middle of it, or has no end
		}
		var asked struct {
			Model    string            `json:"model"`
			Messages []json.RawMessage `json:"messages"`
			Stream   bool              `json:"stream"`
		}
		if json.Unmarshal(body, &asked) != nil || asked.Model == "" || len(asked.Messages) == 0 || asked.Stream {
			write(w, http.StatusBadRequest, api.failure(http.StatusBadRequest, Error{
				Message: "this is no JSON with a model and messages, or it asks for a stream",
			}))
			return
		}
		call := s.take(Call{API: api, Header: r.Header.Clone(), Body: body, At: time.Now()})
		if s.options.Heard != nil {
			s.options.Heard(call)
		}
		s.answer(w, r, call)
	}
}
