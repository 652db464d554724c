package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/cli"
)

// site is a folder with a configuration, in which the program is run.
type site struct {
	t   *testing.T
	dir string
}

func newSite(t *testing.T, configuration string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	require.NoError(t, os.Mkdir(s.path("notes"), 0o755))
	s.write("policy.yaml", "label: test\napprovers: [bo.lin]\ndecide_within: 1h\ngrant_life: 1h\n")
	s.write("holdpoint.yaml", "sources: {notes: notes}\npolicy: policy.yaml\ndata: data\n"+configuration)
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(name, text string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(text), 0o600))
}

// printed is what the program printed, and its exit code.
type printed struct {
	out, err string
	code     int
}

// run runs the program with the site's configuration.
func (s *site) run(in string, args ...string) printed { return s.runWith(in, nil, args...) }

func (s *site) runWith(in string, goTools []ToolMaker, args ...string) printed {
	s.t.Helper()
	var out, errOut bytes.Buffer
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	code := run(ctx, append(args, "--config", s.path("holdpoint.yaml")), cli.Streams{In: strings.NewReader(in), Out: &out, Err: &errOut}, goTools)
	return printed{out.String(), errOut.String(), code}
}

// shop is an order API. What it is not told to do it does as its manual says:
// it knows keys, and answers a known one with the first answer.
type shop struct {
	*httptest.Server

	forgets bool // knows no keys, whatever its manual says
	silent  bool // cannot be asked how many orders there are
	cuts    bool // cuts its answers off
	racy    bool // looks for a key first, and writes it down a moment later

	mu     sync.Mutex
	orders []order
}

// order is one that was made, and by which request.
type order struct{ key, body string }

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", s.post)
	mux.HandleFunc("GET /orders", s.list)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *shop) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key := strings.Trim(r.Header.Get("Idempotency-Key"), `"`)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.orders {
		if o.key != key || s.forgets {
			continue
		}
		if o.body != string(body) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"title":"Idempotency-Key is already used"}`)
			return
		}
		s.answer(w, i)
		return
	}
	if s.racy {
		s.mu.Unlock()
		time.Sleep(50 * time.Millisecond)
		s.mu.Lock()
	}
	s.orders = append(s.orders, order{key, string(body)})
	s.answer(w, len(s.orders)-1)
}

func (s *shop) answer(w http.ResponseWriter, at int) {
	if s.cuts {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":%d}`, at+1)
}

// list answers how many orders of a reference there are.
func (s *shop) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, o := range s.orders {
		var body struct{ Reference string }
		if json.Unmarshal([]byte(o.body), &body) == nil && body.Reference == r.URL.Query().Get("reference") {
			n++
		}
	}
	fmt.Fprintf(w, `{"total":%d}`, n)
}

func (s *shop) made() []order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]order(nil), s.orders...)
}

// declaration declares the shop's tool.
func (s *shop) declaration(class string) string {
	window, count := "", ""
	if class == "keyed" {
		window = "    key_window: 24h\n"
	}
	if !s.silent {
		count = "      count: {url: \"" + s.URL + "/orders?reference={{key}}\", value: body.total}\n"
	}
	return `tools:
  open_order:
    version: "1"
    kind: http
    class: ` + class + "\n" + window + `    risk: medium
    call_timeout: 500ms
    schema:
      type: object
      required: [number]
      additionalProperties: false
      properties: {number: {type: string}, remark: {type: string}}
    target: shop/orders
    item: "{{params.number}}"
    http:
      hosts: ["` + strings.TrimPrefix(s.URL, "http://") + `"]
      url: "` + s.URL + `/orders"
      body: {number: "{{params.number}}", remark: "{{has(params.remark) ? params.remark : ''}}", reference: "{{key}}"}
      receipt: {ref: string(body.id)}
` + count
}
