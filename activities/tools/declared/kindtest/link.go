package kindtest

import (
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Link is a TCP relay between a tool and its target, on which answers get
// lost. A fault begins on a connection only when a text has gone over it
// towards the target: so handshakes succeed, and the target gets its request.
// It is safe for concurrent use.
type Link struct {
	target, address string

	mu       sync.Mutex
	listener net.Listener // nil: down
	pairs    map[*pair]struct{}
	fault    *linkFault // nil: healthy
	fired    int
}

// linkFault is what happens to the answers on a connection that carried sent.
type linkFault struct {
	sent string
	pass int // bytes of the answer that still arrive
	end  ending
}

// ending is how a connection ends after the bytes that still arrive.
type ending int

const (
	silent ending = iota // nothing more arrives, and the connection stays open
	closed               // an orderly end (FIN)
	reset                // RST
)

// cutAt is less than the shortest complete answer: "HTTP/1.1 2", "250 2.0.0 ".
const cutAt = 10

// NewLink returns a link to a TCP address, that ends with the test.
func NewLink(tb testing.TB, target string) *Link {
	tb.Helper()
	l := &Link{target: target, address: "127.0.0.1:0", pairs: make(map[*pair]struct{})}
	l.Up(tb)
	tb.Cleanup(l.Down)
	return l
}

// Addr is where the tool connects to, as host:port. It stays the same while
// the link goes down and up.
func (l *Link) Addr() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.address
}

// LoseAnswers lets nothing of an answer arrive once sent has gone by on its
// connection. The connection stays open.
func (l *Link) LoseAnswers(sent string) { l.set(&linkFault{sent: sent, end: silent}) }

// CutAnswers ends a connection after the first bytes of the answer to sent.
func (l *Link) CutAnswers(sent string) { l.set(&linkFault{sent: sent, pass: cutAt, end: closed}) }

// ResetAnswers resets a connection after the first bytes of the answer to
// sent.
func (l *Link) ResetAnswers(sent string) { l.set(&linkFault{sent: sent, pass: cutAt, end: reset}) }

// Heal ends the fault, and the connections that it had begun on.
func (l *Link) Heal() { l.set(nil) }

// Fired is how many connections a fault has begun on.
func (l *Link) Fired() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fired
}

// Down ends all connections and refuses new ones.
func (l *Link) Down() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		l.listener.Close()
		l.listener = nil
	}
	l.drop(func(*pair) bool { return true })
}

// Up takes connections again.
func (l *Link) Up(tb testing.TB) {
	tb.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		return
	}
	var config net.ListenConfig
	listener, err := config.Listen(tb.Context(), "tcp", l.address)
	require.NoError(tb, err)
	l.listener, l.address = listener, listener.Addr().String()
	go l.accept(listener)
}

func (l *Link) set(f *linkFault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault = f
	l.drop(func(p *pair) bool { return p.broken != nil })
}

// drop ends connections. The caller holds the lock.
func (l *Link) drop(which func(*pair) bool) {
	for p := range l.pairs {
		if which(p) {
			p.close()
			delete(l.pairs, p)
		}
	}
}

func (l *Link) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go l.relay(listener, client.(*net.TCPConn)) //nolint:forcetypeassert // a TCP listener's are
	}
}

// relay carries one connection.
func (l *Link) relay(from net.Listener, client *net.TCPConn) {
	conn, err := net.Dial("tcp", l.target) //nolint:noctx // the link's life bounds it
	if err != nil {
		client.Close()
		return
	}
	p := &pair{link: l, client: client, target: conn.(*net.TCPConn)} //nolint:forcetypeassert // asked for TCP
	l.mu.Lock()
	if l.listener != from {
		l.mu.Unlock()
		p.close()
		return
	}
	l.pairs[p] = struct{}{}
	l.mu.Unlock()

	var ways sync.WaitGroup
	ways.Go(p.requests)
	ways.Go(p.answers)
	ways.Wait()
	p.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pairs, p)
}
