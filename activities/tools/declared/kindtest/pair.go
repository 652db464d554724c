package kindtest

import (
	"bytes"
	"net"
)

// pair is one connection through a link.
type pair struct {
	link           *Link
	client, target *net.TCPConn

	// Under the link's lock.
	seen   []byte     // the end of what has gone by towards the target
	broken *linkFault // the fault that has begun here
	passed int        // bytes of answers since then
}

// bufferSize is that of one read.
const bufferSize = 32 << 10

// requests carries bytes to the target. Those that trigger a fault are
// carried after it has begun, so that no answer overtakes it.
func (p *pair) requests() {
	buffer := make([]byte, bufferSize)
	for {
		n, err := p.client.Read(buffer)
		broken := p.watch(buffer[:n])
		if n > 0 {
			if _, err := p.target.Write(buffer[:n]); err != nil {
				_ = p.client.CloseRead()
				return
			}
		}
		if err != nil {
			// The target of a broken connection does not learn that nobody
			// waits for its answer: it finishes its work.
			if !broken {
				_ = p.target.CloseWrite()
			}
			return
		}
	}
}

// watch looks for the text that begins the fault, and reports whether one has
// begun here.
func (p *pair) watch(chunk []byte) bool {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	fault := p.link.fault
	if p.broken != nil || fault == nil || len(chunk) == 0 {
		return p.broken != nil
	}
	p.seen = append(p.seen, chunk...)
	if bytes.Contains(p.seen, []byte(fault.sent)) {
		p.broken = fault
		p.link.fired++
	}
	p.seen = bytes.Clone(p.seen[max(len(p.seen)-len(fault.sent), 0):])
	return p.broken != nil
}

// answers carries bytes to the client, as far as the fault lets them.
func (p *pair) answers() {
	buffer := make([]byte, bufferSize)
	ended := false
	for {
		n, err := p.target.Read(buffer)
		pass, end := p.allowed(n)
		if pass > 0 && !ended {
			if _, err := p.client.Write(buffer[:pass]); err != nil {
				ended = true
			}
		}
		switch {
		case ended:
		case end == closed:
			_ = p.client.CloseWrite()
			ended = true
		case end == reset:
			_ = p.client.SetLinger(0)
			p.client.Close()
			ended = true
		case err != nil && end == open:
			_ = p.client.CloseWrite()
		}
		if err != nil {
			return
		}
	}
}

// open is no ending: the connection is whole.
const open ending = -1

// allowed says how much of n bytes still arrives, and what comes after that.
func (p *pair) allowed(n int) (pass int, end ending) {
	p.link.mu.Lock()
	defer p.link.mu.Unlock()
	if p.broken == nil {
		return n, open
	}
	pass = min(n, p.broken.pass-p.passed)
	p.passed += pass
	if p.passed < p.broken.pass {
		return pass, open
	}
	return pass, p.broken.end
}

func (p *pair) close() {
	p.client.Close()
	p.target.Close()
}
