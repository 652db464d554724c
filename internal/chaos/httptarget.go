package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// web is an HTTP API in four manners: one that honours an idempotency key, one
// that can be searched, one that creates only what is absent, and one that
// does what it is told as often as it is told.
type web struct {
	server *httptest.Server

	mu     sync.Mutex
	made   map[string]int    // by tool and effect
	orders map[string]string // by idempotency key: the first request's body
	issues []issue
	pages  map[string]page
}

type issue struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Marker string `json:"marker"`
}

type page struct {
	Marker string `json:"marker"`
	Text   string `json:"text"`
}

func newWeb() *web {
	w := &web{made: map[string]int{}, orders: map[string]string{}, pages: map[string]page{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", w.order)
	mux.HandleFunc("POST /issues", w.open)
	mux.HandleFunc("GET /issues", w.search)
	mux.HandleFunc("PUT /pages/{name}", w.create)
	mux.HandleFunc("GET /pages/{name}", w.read)
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

func (w *web) count(_ context.Context, tool, effect string) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made[tool+"/"+effect], nil
}

// order is deduplicated by the key, as the Idempotency-Key draft says.
func (w *web) order(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the request did not arrive whole: nothing is done
	}
	var asked struct {
		Number string `json:"number"`
	}
	if json.Unmarshal(body, &asked) != nil {
		http.Error(out, "no order", http.StatusBadRequest)
		return
	}
	key := strings.Trim(r.Header.Get("Idempotency-Key"), `"`)
	w.mu.Lock()
	defer w.mu.Unlock()
	first, known := w.orders[key]
	if known && first != string(body) {
		http.Error(out, "Idempotency-Key is already used", http.StatusUnprocessableEntity)
		return
	}
	if !known {
		w.orders[key] = string(body)
		w.made["orders/"+asked.Number]++
	}
	answer(out, http.StatusCreated, map[string]string{"id": "order-" + asked.Number})
}

func (w *web) open(out http.ResponseWriter, r *http.Request) {
	var asked issue
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	asked.Number = len(w.issues) + 1
	w.issues = append(w.issues, asked)
	w.made["issues/"+asked.Title]++
	answer(out, http.StatusCreated, asked)
}

func (w *web) search(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := []issue{}
	for _, i := range w.issues {
		if i.Marker == r.URL.Query().Get("marker") {
			found = append(found, i)
		}
	}
	answer(out, http.StatusOK, found)
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
	_, _ = out.Write(raw) // the proxy may have cut the connection
}

func (w *web) tools(proxied string) ([]tool, declarations) {
	named := func(name string, class plan.DeliveryClass, parameters func(string) map[string]any) tool {
		return tool{name: name, kind: "http", class: class, target: "web/" + name, parameters: parameters}
	}
	one := func(name string) func(string) map[string]any {
		return func(effect string) map[string]any { return map[string]any{name: effect} }
	}
	text := strings.NewReplacer("HOST", proxied, "LIMITS", strings.TrimSpace(limits)).Replace(webTools)
	return []tool{
		named("orders", plan.Keyed, one("number")), named("issues", plan.Lookup, one("title")),
		named("pages", plan.Conditional, one("name")), named("letters", plan.Once, one("subject")),
	}, declarations{tools: text}
}

// webTools are the declarations of the API's tools.
var webTools = `
  orders:
    version: "1"
    kind: http
    class: keyed
    risk: low
    key_window: 1h
    schema: ` + stringsSchema("number") + `
    target: "web/orders"
    item: "{{params.number}}"
    LIMITS
    http:
      hosts: ["HOST"]
      url: "http://HOST/orders"
      body: {number: "{{params.number}}"}
      receipt: {ref: "body.id"}
  issues:
    version: "1"
    kind: http
    class: lookup
    risk: low
    schema: ` + stringsSchema("title") + `
    target: "web/issues"
    item: "{{params.title}}"
    LIMITS
    http:
      hosts: ["HOST"]
      url: "http://HOST/issues"
      body: {title: "{{params.title}}", marker: "{{key}}"}
      receipt: {ref: "string(body.number)"}
      lookup:
        url: "http://HOST/issues?marker={{key}}"
        found: "size(body) > 0"
        absent: "size(body) == 0"
        authoritative: true
        receipt: {ref: "string(body[0].number)"}
  pages:
    version: "1"
    kind: http
    class: conditional
    risk: low
    schema: ` + stringsSchema("name") + `
    target: "web/pages"
    item: "{{params.name}}"
    LIMITS
    http:
      hosts: ["HOST"]
      method: PUT
      url: "http://HOST/pages/{{params.name}}"
      body: {marker: "{{key}}", text: "written once"}
      receipt: {ref: "body.marker"}
      create_only: {header: true}
      read_back:
        url: "http://HOST/pages/{{params.name}}"
        ours: "body.marker == key"
        receipt: {ref: "body.marker"}
  letters:
    version: "1"
    kind: http
    class: once
    risk: low
    schema: ` + stringsSchema("subject") + `
    target: "web/letters"
    item: "{{params.subject}}"
    LIMITS
    http:
      hosts: ["HOST"]
      url: "http://HOST/letters"
      body: {subject: "{{params.subject}}"}
      receipt: {ref: "body.id"}
`
