package provider

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/holdpoint/holdpoint/activities/wire"
)

// Exchange is one request and its answer. It is the transport that an SDK's
// client is given for one call: it keeps the answer's body as it came, and makes
// no second request, whatever an SDK thinks of the first.
type Exchange struct {
	host   string
	limit  int64
	line   wire.Line
	begun  bool
	answer *answer
	err    error
}

// answer is what came back.
type answer struct {
	host    string
	status  int
	header  http.Header
	body    []byte
	arrived time.Time
}

var errAgain = errors.New("a call is one request")

const (
	// connectTimeout bounds the way to a connection, each for TCP and TLS, so that
	// a dead address is known long before a model's time to think is over.
	connectTimeout = 15 * time.Second
	// maxErrorBytes is how much of a refusal is read: only its code is wanted.
	maxErrorBytes = 64 << 10
)

// RoundTrip implements http.RoundTripper.
func (x *Exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	if x.begun {
		return nil, errAgain
	}
	x.begun = true
	transport := x.line.Transport()
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(r)
	if err != nil {
		x.err = err
		return nil, err
	}
	defer response.Body.Close()
	x.answer = &answer{host: x.host, status: response.StatusCode, header: response.Header, arrived: time.Now()}
	if x.answer.body, err = x.read(response); err != nil {
		x.err = err
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(x.answer.body))
	return response, nil
}

// read reads a body. Of a refusal what arrives is enough, since its status says
// all that decides.
func (x *Exchange) read(response *http.Response) ([]byte, error) {
	if !isSuccess(response.StatusCode) {
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes))
		return body, nil
	}
	return wire.ReadAll(response.Body, x.limit)
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }
