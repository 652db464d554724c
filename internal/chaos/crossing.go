package main

import (
	"net"
	"sync"
	"time"
)

// crossing is one connection through a passage.
type crossing struct {
	passage        *passage
	client, server *net.TCPConn

	mu      sync.Mutex
	seen    []byte   // the end of what went to the target
	last    string   // the last name in it
	waiting bool     // a write has gone to the target, and its answer has not gone back
	settled bool     // its answer has come, or never will
	named   []string // the writes that wait
}

// finish is how long a target may take to answer a client that is gone.
const finish = 5 * time.Second

// requests carries what the client says. A target whose client is gone in the
// middle of a write is not told so: it finishes its work.
func (c *crossing) requests() {
	buffer := make([]byte, bufferSize)
	for {
		n, err := c.client.Read(buffer)
		if n > 0 {
			c.note(buffer[:n])
			if _, err := c.server.Write(buffer[:n]); err != nil {
				_ = c.client.CloseRead()
				return
			}
		}
		if err != nil {
			if !c.abandoned() {
				_ = c.server.CloseWrite()
			}
			_ = c.server.SetReadDeadline(time.Now().Add(finish))
			return
		}
	}
}

// answers carries what the target says, an answer to a write only after a
// while.
func (c *crossing) answers() {
	buffer := make([]byte, bufferSize)
	for {
		n, err := c.server.Read(buffer)
		if n > 0 {
			if c.arrived() {
				c.passage.hold()
				c.answered() // before the client can hear it and hang up
			}
			_, _ = c.client.Write(buffer[:n]) // a client that is gone is seen by the other half
		}
		if err != nil {
			c.abandoned() // an answer that does not come is not heard either
			_ = c.client.CloseWrite()
			return
		}
	}
}

// tail is how much of the stream is kept, to find what lies over two reads.
const tail = 256

// note looks for writes, and for their names, in what goes to the target.
func (c *crossing) note(chunk []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, chunk...)
	found := names.FindAll(c.seen, -1)
	writes := c.passage.write.FindAllIndex(c.seen, -1)
	if len(writes) > 0 && !c.waiting {
		c.waiting, c.settled = true, false
		c.passage.begins()
		if c.last != "" && len(found) == 0 {
			c.named = append(c.named, c.last)
		}
	}
	for _, name := range found {
		c.last = string(name)
		if c.waiting {
			c.named = append(c.named, c.last)
		}
	}
	from := max(len(c.seen)-tail, 0)
	if len(writes) > 0 {
		from = max(from, writes[len(writes)-1][1]) // each counts once
	}
	c.seen = append([]byte(nil), c.seen[from:]...)
}

// arrived reports whether what has come from the target answers a write.
func (c *crossing) arrived() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		c.settle(nil)
	}
	return c.waiting
}

// settle tells the passage once that the target's work is over. The caller
// holds the lock.
func (c *crossing) settle(unheard []string) {
	c.passage.ends(!c.settled, unheard)
	c.settled = true
}

func (c *crossing) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting, c.named = false, nil
}

// abandoned marks the writes that wait as unheard, and reports whether there
// are any.
func (c *crossing) abandoned() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		c.settle(c.named)
	}
	return c.waiting
}
