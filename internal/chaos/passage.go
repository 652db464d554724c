package main

import (
	"math/rand/v2"
	"net"
	"regexp"
	"sync"
	"time"
)

// passage stands right before a target and holds the answer to each write: the
// effect is made, and for a while nobody on the other side knows it. Without
// that an answer follows within a millisecond, and no fault would ever fall
// between the two.
type passage struct {
	relay

	write *regexp.Regexp // in what goes to the target: now it has all that the effect needs, or soon

	mu      sync.Mutex
	random  *rand.Rand
	pending int             // writes that the target has, and has not answered
	holding int             // answers that are held now
	unheard map[string]bool // names of writes whose client was gone, or hung up on, before the answer
}

// How long an answer is held.
const (
	leastHold = 50 * time.Millisecond
	mostHold  = 500 * time.Millisecond
)

// names are how a write on the wire names itself: by its effect or, in a push,
// by its idempotency key.
var names = regexp.MustCompile(`run-\d{4}-[a-z]+|refs/holdpoint/[0-9a-f]+`)

func newPassage(target string, write *regexp.Regexp, seed uint64) *passage {
	p := &passage{
		write: write, random: rand.New(rand.NewPCG(seed, 1)), //nolint:gosec // the seed is the point
		unheard: map[string]bool{},
	}
	p.relay = relay{target: target, carry: func(client, server *net.TCPConn) {
		c := &crossing{passage: p, client: client, server: server}
		var ways sync.WaitGroup
		ways.Go(c.requests)
		ways.Go(c.answers)
		ways.Wait()
	}}
	return p
}

// hold waits as long as an answer is held.
func (p *passage) hold() {
	p.mu.Lock()
	d := leastHold + time.Duration(p.random.Int64N(int64(mostHold-leastHold)))
	p.holding++
	p.mu.Unlock()
	time.Sleep(d)
	p.mu.Lock()
	p.holding--
	p.mu.Unlock()
}

// holds reports whether an answer is held now.
func (p *passage) holds() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holding > 0
}

// begins counts a write that the target has.
func (p *passage) begins() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending++
}

// ends takes a write off the count, and notes those that nobody will hear of.
func (p *passage) ends(counted bool, unheard []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if counted {
		p.pending--
	}
	for _, name := range unheard {
		p.unheard[name] = true
	}
}

// works reports whether the target is at work on a write now.
func (p *passage) works() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pending > 0
}

// wasUnheard reports whether a write of that name was left without an answer.
func (p *passage) wasUnheard(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unheard[name]
}
