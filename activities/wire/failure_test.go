package wire_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/wire"
)

var words = wire.Words{Address: "the place", Doubt: "it may have rung", TooLarge: "it said too much"}

// limit of an answer's body, in bytes.
const limit = 10

// listen serves connections one way, and returns its address.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return l.Addr().String()
}

// says answers whatever comes first with these bytes.
func says(answer string) func(net.Conn) {
	return func(conn net.Conn) {
		conn.Read(make([]byte, 1<<10))
		conn.Write([]byte(answer))
	}
}

// tlsServer is a server that also speaks HTTP/2, and a configuration that trusts it.
func tlsServer(t *testing.T) (string, *tls.Config) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.Proto)) }))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
}

// quiet is the log of a server that tests break off their connections to.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// ask makes one request, and reads the whole answer.
func ask(t *testing.T, line *wire.Line, url string) (string, error) {
	t.Helper()
	return askIn(t.Context(), t, line, url)
}

func askIn(ctx context.Context, t *testing.T, line *wire.Line, url string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/SECRET?SECRET", strings.NewReader("SECRET"))
	require.NoError(t, err)
	transport := line.Transport()
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := wire.ReadAll(response.Body, limit)
	return string(body), err
}

// requireFault checks a fault, and that it says nothing of the request.
func requireFault(t *testing.T, err error, class faults.Class, code string) string {
	t.Helper()
	fault, ok := errors.AsType[*faults.Fault](err)
	require.True(t, ok, "%T", err)
	require.Equal(t, class.String(), fault.Class.String(), err.Error())
	require.Equal(t, code, fault.Code, err.Error())
	require.NotContains(t, err.Error(), "SECRET")
	return fault.Reason
}

// In each row the other side does one thing. A request that may have been
// carried out has no fault as an unsent one.
func TestWhatAFailureMeans(t *testing.T) {
	certified, trusted := tlsServer(t)
	expired := trusted.Clone()
	expired.Time = func() time.Time { return time.Now().AddDate(200, 0, 0) }
	wantsCertificate := httptest.NewUnstartedServer(nil)
	wantsCertificate.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}
	wantsCertificate.Config.ErrorLog = quiet()
	wantsCertificate.StartTLS()
	t.Cleanup(wantsCertificate.Close)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"

	for _, tt := range []struct {
		name, url string
		tls       *tls.Config
		class     faults.Class
		code      string
		reason    string // after the host
		may       bool   // the request may have been carried out
	}{
		{
			name: "nobody listens", url: "http://" + gone.Addr().String(),
			class: faults.Transient, code: "dial_failed", reason: "the connection was refused; nothing was sent",
		},
		{
			name: "a handshake that breaks off", url: "https://" + listen(t, says("")), tls: trusted,
			class: faults.Transient, code: "dial_failed", reason: "the TLS handshake broke off; nothing was sent",
		},
		{
			name: "an unknown authority", url: "https://" + certified, tls: &tls.Config{},
			class: faults.Permanent, code: "bad_certificate",
			reason: "its certificate is signed by nobody that this worker trusts; name the authority in ca_file",
		},
		{
			name: "a certificate for another name", url: "https://" + strings.Replace(certified, "127.0.0.1", "localhost", 1), tls: trusted,
			class: faults.Permanent, code: "bad_certificate", reason: "its certificate is for another name",
		},
		{
			name: "an expired certificate", url: "https://" + certified, tls: expired,
			class: faults.Permanent, code: "bad_certificate", reason: "its certificate has expired, or is not valid yet by this machine's clock",
		},
		{
			name: "a client certificate is wanted", url: wantsCertificate.URL,
			tls:   &tls.Config{InsecureSkipVerify: true},
			class: faults.Permanent, code: "tls_refused", reason: "it refuses the TLS handshake: versions, names or a client certificate do not fit",
		},
		{
			name: "https to a plain port", url: "https://" + listen(t, says("HTTP/1.1 400 Bad Request\r\n\r\n")), tls: trusted,
			class: faults.Permanent, code: "no_tls", reason: "the place says https, and the port does not speak TLS",
		},
		{
			name: "http to a TLS port, which answers with an alert", url: "http://" + listen(t, says("\x15\x03\x01\x00\x02\x02\x0a")), // fatal, unexpected_message
			class: faults.Permanent, code: "speaks_tls", reason: "the place says http, and the port speaks TLS: write https",
		},
		{
			name: "closed without an answer", url: "http://" + listen(t, says("")), may: true,
			class: faults.Unknown, code: "answer_cut", reason: "the connection broke after the request was sent; it may have rung",
		},
		{
			name: "half an answer", url: "http://" + listen(t, says(head+"x")), may: true,
			class: faults.Unknown, code: "answer_cut", reason: "the connection broke after the request was sent; it may have rung",
		},
		{
			name: "an answer that is neither HTTP nor TLS", url: "http://" + listen(t, says("\x15\x02\x01")), may: true,
			class: faults.Unknown, code: "answer_cut", reason: "the connection broke after the request was sent; it may have rung",
		},
		{
			name: "an answer over the limit", url: "http://" + listen(t, says(head+"01234567890")), may: true,
			class: faults.Unknown, code: "answer_too_large", reason: "it said too much",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := &wire.Line{TLS: tt.tls}
			_, host, _ := strings.Cut(tt.url, "://")
			_, err := ask(t, line, tt.url)
			require.Error(t, err)
			failure := line.Failed(host, err)
			require.Equal(t, host+": "+tt.reason, requireFault(t, failure.Fault(words), tt.class, tt.code))
			if tt.may {
				require.NoError(t, failure.Unsent(words))
				return
			}
			require.Equal(t, failure.Fault(words), failure.Unsent(words))
		})
	}
}

// A body may hold anything.
func TestOnlyTheFirstBytesAreATLSRecord(t *testing.T) {
	begun := make(chan struct{})
	host := listen(t, func(conn net.Conn) {
		says("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")(conn)
		<-begun
		conn.Write([]byte("\x15\x03\x01"))
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host, nil)
	require.NoError(t, err)
	line := new(wire.Line)
	response, err := line.Transport().RoundTrip(request)
	close(begun)
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = wire.ReadAll(response.Body, limit)
	requireFault(t, line.Failed(host, err).Fault(words), faults.Unknown, "answer_cut")
}

func TestUnknownNameIsTransient(t *testing.T) {
	line := new(wire.Line)
	_, err := ask(t, line, "http://no-such-host.invalid") // RFC 6761: no server has it
	fault := line.Failed("no-such-host.invalid", err).Fault(words)
	require.Equal(t, faults.Transient, faults.ClassOf(fault))
	require.ErrorContains(t, fault, "nothing was sent")
}

// The same ends mean nothing before the request was sent, and anything after.
func TestStopsAndTimeouts(t *testing.T) {
	const late = 100 * time.Millisecond
	arrived := make(chan struct{}, 1)
	silent := listen(t, func(conn net.Conn) {
		conn.Read(make([]byte, 1<<10))
		arrived <- struct{}{}
		io.Copy(io.Discard, conn) // until the other side goes
	})
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	past, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	before := func(ctx context.Context, reason string) {
		line := new(wire.Line)
		_, err := askIn(ctx, t, line, "http://"+silent)
		require.Equal(t, reason, requireFault(t, line.Failed("host", err).Fault(words), faults.Transient, "dial_failed"))
		without := &wire.Failure{Host: "host", Cause: ctx.Err()}
		require.Equal(t, reason, requireFault(t, without.Fault(words), faults.Transient, "dial_failed"))
	}
	before(canceled, "host: the call was stopped before there was a connection; nothing was sent")
	before(past, "host: there was no connection in time; nothing was sent")
	require.Empty(t, arrived)

	t.Run("no handshake in time", func(t *testing.T) {
		line := &wire.Line{TLS: &tls.Config{}, Patience: late}
		_, err := ask(t, line, "https://"+silent)
		<-arrived
		require.Equal(t, "host: there was no connection in time; nothing was sent",
			requireFault(t, line.Failed("host", err).Fault(words), faults.Transient, "dial_failed"))
	})
	t.Run("stopped after", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			<-arrived
			cancel()
		}()
		line := new(wire.Line)
		_, err := askIn(ctx, t, line, "http://"+silent)
		require.Equal(t, "host: the call was stopped after the request was sent; it may have rung",
			requireFault(t, line.Failed("host", err).Fault(words), faults.Unknown, "stopped_after_sending"))
	})
	t.Run("timed out after", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), late)
		defer cancel()
		line := &wire.Line{Patience: time.Minute}
		_, err := askIn(ctx, t, line, "http://"+silent)
		<-arrived
		require.Equal(t, "host: no whole answer came in time; it may have rung",
			requireFault(t, line.Failed("host", err).Fault(words), faults.Unknown, "no_answer"))
	})
}
