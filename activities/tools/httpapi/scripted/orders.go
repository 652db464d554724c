package scripted

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// order is one effect.
type order struct {
	ID        string    `json:"id"`
	Reference string    `json:"reference"`
	Number    any       `json:"number"`
	Made      time.Time `json:"made"`
}

// remembered is a key that the server knows, with its payload and its answer.
type remembered struct {
	payload string
	answer  reply
	at      time.Time
}

// Effects counts the orders of a key.
func (s *Server) Effects(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, o := range s.orders {
		if o.Reference == key {
			n++
		}
	}
	return n
}

// All counts all orders.
func (s *Server) All() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.orders)
}

// Forget forgets all keys, as a server does when their window has passed.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.keys)
}

// postOrder makes an order, or replays the answer of an earlier request of the
// same key.
func (s *Server) postOrder(r *http.Request, body string) reply {
	key := ""
	if s.options.KeyHeader != "" {
		key = strings.Trim(r.Header.Get(s.options.KeyHeader), `"`)
	}
	if known, ok := s.keys[key]; ok && key != "" && (s.options.Window == 0 || time.Since(known.at) < s.options.Window) {
		if known.payload != body {
			return reply{
				status: http.StatusUnprocessableEntity, body: `{"title":"Idempotency-Key is already used"}`,
			}
		}
		return known.answer
	}
	object := fields(body)
	reference, _ := object["reference"].(string)
	if reference == "" {
		reference = key
	}
	made := order{ID: fmt.Sprintf("order-%d", len(s.orders)+1), Reference: reference, Number: object["number"], Made: time.Now()}
	s.orders = append(s.orders, made)
	answer := reply{status: http.StatusCreated, body: mustJSON(made)}
	if key != "" {
		s.keys[key] = remembered{payload: body, answer: answer, at: made.Made}
	}
	return answer
}

func (s *Server) searchOrders(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []order{}
	for _, o := range s.orders {
		if o.Reference == r.URL.Query().Get("reference") && time.Since(o.Made) >= s.options.Lag {
			items = append(items, o)
		}
	}
	reply{status: http.StatusOK, body: mustJSON(map[string]any{"items": items})}.scripted(Answer{}).write(w)
}
