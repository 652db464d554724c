package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// web is an HTTP API in several manners: it honours an idempotency key, for
// long or for a moment; it can be searched, by an index that is up to date or
// one that lags; it creates only what is absent, or changes only what is as it
// was; and it does what it is told as often as it is told.
type web struct {
	server *httptest.Server

	mu     sync.Mutex
	made   map[string]int // by tool and effect
	keys   map[string]remembered
	issues []issue // also the tickets
	pages  map[string]page
	notes  map[string]page
}

// remembered is a request whose key is known.
type remembered struct {
	body string
	at   time.Time
}

type issue struct {
	Number int       `json:"number"`
	Title  string    `json:"title"`
	Marker string    `json:"marker"`
	At     time.Time `json:"-"`
}

type page struct {
	Marker  string `json:"marker"`
	Text    string `json:"text"`
	Version int    `json:"version"`
}

// What the two that forget and lag are like.
const (
	keyLife  = 2500 * time.Millisecond
	indexLag = time.Second
)

func newWeb() *web {
	w := &web{made: map[string]int{}, keys: map[string]remembered{}, pages: map[string]page{}, notes: map[string]page{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", w.keyed("orders", time.Hour))
	mux.HandleFunc("POST /vouchers", w.keyed("vouchers", keyLife))
	mux.HandleFunc("POST /issues", w.open("issues"))
	mux.HandleFunc("GET /issues", w.search(0))
	mux.HandleFunc("POST /tickets", w.open("tickets"))
	mux.HandleFunc("GET /tickets", w.search(indexLag))
	mux.HandleFunc("PUT /pages/{name}", w.create)
	mux.HandleFunc("GET /pages/{name}", w.read)
	mux.HandleFunc("PUT /notes/{name}", w.change)
	mux.HandleFunc("GET /notes/{name}", w.current)
	mux.HandleFunc("POST /letters", w.letter)
	w.server = httptest.NewServer(mux)
	return w
}

func (w *web) address() string { return w.server.Listener.Addr().String() }

func (w *web) close() error {
	w.server.CloseClientConnections()
	w.server.Close()
	return nil
}

func (w *web) writes() *regexp.Regexp { return regexp.MustCompile(`(?:POST|PUT) /`) }

func (w *web) count(_ context.Context, a *action) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made[a.tool.name+"/"+a.Effect], nil
}

// keyed makes what the key does not stand for yet, as the Idempotency-Key
// draft says. It forgets a key some time after the key's first request.
func (w *web) keyed(tool string, life time.Duration) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the request did not arrive whole: nothing is done
		}
		var asked struct {
			Number string `json:"number"`
		}
		if json.Unmarshal(body, &asked) != nil {
			http.Error(out, "no number", http.StatusBadRequest)
			return
		}
		key := strings.Trim(r.Header.Get("Idempotency-Key"), `"`)
		w.mu.Lock()
		defer w.mu.Unlock()
		first, known := w.keys[key]
		known = known && time.Since(first.at) < life
		if known && first.body != string(body) {
			http.Error(out, "Idempotency-Key is already used", http.StatusUnprocessableEntity)
			return
		}
		if !known {
			w.keys[key] = remembered{string(body), time.Now()}
			w.made[tool+"/"+asked.Number]++
		}
		answer(out, http.StatusCreated, map[string]string{"id": tool + "-" + asked.Number})
	}
}

func (w *web) open(tool string) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		var asked issue
		if json.NewDecoder(r.Body).Decode(&asked) != nil {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		asked.Number, asked.At = len(w.issues)+1, time.Now()
		w.issues = append(w.issues, asked)
		w.made[tool+"/"+asked.Title]++
		answer(out, http.StatusCreated, asked)
	}
}

// search finds what was opened longer ago than its lag.
func (w *web) search(lag time.Duration) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		found := []issue{}
		for _, i := range w.issues {
			if i.Marker == r.URL.Query().Get("marker") && time.Since(i.At) >= lag {
				found = append(found, i)
			}
		}
		answer(out, http.StatusOK, found)
	}
}

func (w *web) create(out http.ResponseWriter, r *http.Request) {
	var asked page
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		return
	}
	name := r.PathValue("name")
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, there := w.pages[name]; there && r.Header.Get("If-None-Match") == "*" {
		http.Error(out, "it is there", http.StatusPreconditionFailed)
		return
	}
	w.pages[name] = asked
	w.made["pages/"+name]++
	answer(out, http.StatusCreated, asked)
}

func (w *web) read(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, there := w.pages[r.PathValue("name")]
	if !there {
		http.NotFound(out, r)
		return
	}
	answer(out, http.StatusOK, p)
}

// change changes a note that is as it was. Every name has a note.
func (w *web) change(out http.ResponseWriter, r *http.Request) {
	var asked page
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		return
	}
	name := r.PathValue("name")
	w.mu.Lock()
	defer w.mu.Unlock()
	asked.Version = w.notes[name].Version
	if tag := r.Header.Get("If-Match"); tag != "" && tag != asked.etag() {
		http.Error(out, "it has changed", http.StatusPreconditionFailed)
		return
	}
	asked.Version++
	w.notes[name] = asked
	w.made["notes/"+name]++
	answer(out, http.StatusOK, asked)
}

func (w *web) current(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.notes[r.PathValue("name")]
	out.Header().Set("ETag", n.etag())
	answer(out, http.StatusOK, n)
}

func (p page) etag() string { return strconv.Quote("v" + strconv.Itoa(p.Version)) }

func (w *web) letter(out http.ResponseWriter, r *http.Request) {
	var asked struct {
		Subject string `json:"subject"`
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made["letters/"+asked.Subject]++
	answer(out, http.StatusCreated, map[string]string{"id": "letter"})
}

func answer(out http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(errors.Join(errors.New("an answer of the campaign's own"), err))
	}
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(status)
	_, _ = out.Write(raw) // the road may have cut the connection
}
