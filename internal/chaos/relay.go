package main

import (
	"context"
	"net"
	"sync"
)

// relay takes TCP connections and gives each one a connection of its own to
// the target.
type relay struct {
	target   string
	listener net.Listener
	carry    func(client, server *net.TCPConn) // returns when both are done with
	ended    sync.WaitGroup
}

// listen listens on a free port of the loopback interface.
func (r *relay) listen(ctx context.Context) (err error) {
	r.listener, err = new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err == nil {
		r.ended.Go(r.accept)
	}
	return err
}

func (r *relay) address() string { return r.listener.Addr().String() }

// close takes no further connection. Those under way end with their sides.
func (r *relay) close() {
	r.listener.Close()
	r.ended.Wait()
}

func (r *relay) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.serve(conn.(*net.TCPConn)) //nolint:forcetypeassert // a TCP listener's are
	}
}

func (r *relay) serve(client *net.TCPConn) {
	defer client.Close()
	conn, err := net.Dial("tcp4", r.target) //nolint:noctx // its two sides bound it
	if err != nil {
		return // a target that is down refuses connections, and so does this
	}
	defer conn.Close()
	r.carry(client, conn.(*net.TCPConn)) //nolint:forcetypeassert // asked for TCP
}

// bufferSize is that of one read.
const bufferSize = 32 << 10
