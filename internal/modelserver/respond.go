package modelserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"
)

// response is an answer as it goes out.
type response struct {
	status int
	header http.Header
	body   []byte
}

// answer does with a call what its answer says.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, call Call) {
	out := s.response(call)
	if call.Answer.Delay > 0 {
		timer := time.NewTimer(call.Answer.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
	}
	if call.Answer.Connection != "" {
		out.breakOff(w, call.Answer.Connection)
		return
	}
	maps.Copy(w.Header(), out.header)
	w.WriteHeader(out.status)
	w.Write(out.body) //nolint:errcheck // whoever asked may have gone
}

// response makes the whole answer. Its Date and the dates in it are of one
// moment, so that the time between them is what the script says.
func (s *Server) response(call Call) response {
	a, now := call.Answer, time.Now()
	out := response{status: http.StatusOK, header: http.Header{
		"Date": {now.UTC().Format(http.TimeFormat)}, "Content-Type": {"application/json"},
	}}
	if a.Status != 0 {
		out.status = a.Status
	}
	if value, err := retryAfter(a.RetryAfter, now); err == nil && value != "" {
		out.header.Set("Retry-After", value)
	}
	switch {
	case a.Body != "":
		out.body = []byte(a.Body)
		out.header.Set("Content-Type", first(a.ContentType, "text/html; charset=utf-8"))
	case a.Error != nil || a.Echo || a.Status >= firstError:
		out.body = encode(call.API.failure(out.status, a.failure(call.Header)))
	default:
		out.body = encode(call.API.body(s.reply(call)))
		if a.Stream {
			out.header.Set("Content-Type", "text/event-stream")
			out.body = fmt.Appendf(nil, "data: %s\n\ndata: [DONE]\n\n", out.body)
		}
	}
	if a.ContentType != "" {
		out.header.Set("Content-Type", a.ContentType)
	}
	for name, value := range a.Headers {
		out.header.Set(name, value)
	}
	out.body = append(out.body, bytes.Repeat([]byte(" "), a.Padding)...)
	return out
}

// failure is the answer's error object.
func (a Answer) failure(header http.Header) Error {
	var e Error
	if a.Error != nil {
		e = *a.Error
	}
	if a.Echo {
		given := strings.TrimPrefix(first(header.Get("Authorization"), header.Get("X-Api-Key")), "Bearer ")
		e = Error{Type: given, Code: given, Message: "these credentials are wrong: " + given}
	}
	return e
}

// bytesPerToken is a usual ratio for English; nobody bills by it here.
const bytesPerToken = 4

func (s *Server) reply(call Call) reply {
	r := reply{Answer: call.Answer, id: fmt.Sprintf("scripted-%d", call.Number), model: s.model(call.Answer)}
	if r.Answer.Usage != nil {
		r.usage = *r.Answer.Usage
		return r
	}
	said := len(r.Text) + len(r.Refusal)
	if r.Tool != nil {
		said += len(r.Tool.Arguments)
	}
	r.usage = Usage{Input: int64(len(call.Body)/bytesPerToken + 1), Output: int64(said/bytesPerToken + 1)}
	return r
}

// breakOff ends the connection, after half of the body or before everything.
func (out response) breakOff(w http.ResponseWriter, how Connection) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // it is gone already
	}
	defer conn.Close()
	if how != ResetBefore {
		var head bytes.Buffer
		fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", out.status, http.StatusText(out.status))
		out.header.Set("Content-Length", fmt.Sprint(len(out.body)))
		out.header.Write(&head) //nolint:errcheck // into memory
		head.WriteString("\r\n")
		head.Write(out.body[:len(out.body)/2])
		conn.Write(head.Bytes()) //nolint:errcheck // it is broken next
		// A reset must not overtake what was sent.
		time.Sleep(20 * time.Millisecond)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && how != ClosedWithin {
		tcp.SetLinger(0) //nolint:errcheck // then it is closed in order
	}
}

func write(w http.ResponseWriter, status int, body object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encode(body)) //nolint:errcheck // whoever asked may have gone
}

// encode writes JSON that is made of nothing but texts, numbers and checked
// JSON.
func encode(body object) []byte {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return raw
}
