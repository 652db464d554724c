package scripted

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"
)

// Answer is what the server does with one write.
type Answer struct {
	// NoEffect leaves the effect out.
	NoEffect bool
	// Status, Header and Body replace those of the server's own answer. A Body
	// without a Content-Type is JSON.
	Status int
	Header map[string]string
	Body   string
	// Wait lies between the effect and the answer; it ends early when the
	// client hangs up.
	Wait time.Duration
	// Ending is how the connection ends after Sent bytes of the body, and
	// before anything of the answer when Sent is 0.
	Ending Ending
	Sent   int
}

// Ending is how an answer ends.
type Ending int

// The endings.
const (
	Whole  Ending = iota
	Closed        // in order, with a FIN
	Reset         // with an RST
)

// Refusal is an answer without an effect.
func Refusal(status int, body string) Answer {
	return Answer{NoEffect: true, Status: status, Body: body}
}

// Throttle is a refusal with a Retry-After.
func Throttle(status int, retryAfter string) Answer {
	return Answer{NoEffect: true, Status: status, Body: `{}`, Header: map[string]string{"Retry-After": retryAfter}}
}

// Problem is a refusal in the form of RFC 9457.
func Problem(status int, title string) Answer {
	return Answer{
		NoEffect: true, Status: status, Body: fmt.Sprintf(`{"title":%q,"status":%d}`, title, status),
		Header: map[string]string{"Content-Type": "application/problem+json"},
	}
}

// reply is an answer on its way out.
type reply struct {
	status int
	header http.Header
	body   string
}

// scripted lays an answer of the script over the server's own.
func (r reply) scripted(a Answer) reply {
	if a.Status != 0 {
		r.status = a.Status
	}
	if a.Body != "" {
		r.body = a.Body
	}
	r.header = r.header.Clone()
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set("Content-Type", "application/json")
	for name, value := range a.Header {
		r.header.Set(name, value)
	}
	return r
}

func (r reply) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), r.header)
	w.WriteHeader(r.status)
	if r.status != http.StatusNoContent {
		fmt.Fprint(w, r.body)
	}
}

// breakOff ends the connection after a part of the answer.
func (r reply) breakOff(w http.ResponseWriter, a Answer) {
	conn, _, err := http.NewResponseController(w).Hijack()
	must(err)
	defer conn.Close()
	if a.Sent > 0 {
		var head strings.Builder
		fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", r.status, http.StatusText(r.status))
		r.header.Set("Content-Length", fmt.Sprint(len(r.body)))
		must(r.header.Write(&head))
		fmt.Fprint(conn, head.String()+"\r\n"+r.body[:min(a.Sent, len(r.body))])
		// The reset must not overtake what was sent.
		time.Sleep(20 * time.Millisecond)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && a.Ending == Reset {
		must(tcp.SetLinger(0))
	}
}
