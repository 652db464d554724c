package main

import (
	"io"
	"net"
	"sync"
)

// door is what the workers connect to. It can be slammed: then every client on
// it gets a TCP reset. Toxiproxy resets only connections that were opened under
// its toxic, and those break at the server's greeting, before anything is sent.
type door struct {
	relay

	mu      sync.Mutex
	clients map[*net.TCPConn]struct{}
}

func newDoor(target string) *door {
	d := &door{clients: map[*net.TCPConn]struct{}{}}
	d.relay = relay{target: target, carry: d.pass}
	return d
}

func (d *door) pass(client, server *net.TCPConn) {
	d.mu.Lock()
	d.clients[client] = struct{}{}
	d.mu.Unlock()
	var ways sync.WaitGroup
	for _, way := range [][2]*net.TCPConn{{server, client}, {client, server}} {
		ways.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // however it ends, the other side ends too
			server.Close()
			client.Close()
		})
	}
	ways.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.clients, client)
}

func (d *door) slam() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for client := range d.clients {
		_ = client.SetLinger(0) // a close with unsent data thrown away is a reset
		client.Close()
	}
}
