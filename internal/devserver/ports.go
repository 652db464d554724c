package devserver

import (
	"context"
	"net"
	"net/netip"
	"strconv"
)

// ports are where one server listens on the loopback interface.
type ports struct {
	frontend int
	ui       int // 0 without a Web UI
}

// freePorts asks the system for ports that nobody listens on. Until the server
// binds them somebody else may; [Start] then takes others.
func freePorts(ctx context.Context, ui bool) (ports, error) {
	frontend, err := holdPort(ctx)
	if err != nil {
		return ports{}, err
	}
	defer frontend.Close()
	at := ports{frontend: portOf(frontend)}
	if ui {
		// Both are held at the same time, so that they differ.
		second, err := holdPort(ctx)
		if err != nil {
			return ports{}, err
		}
		defer second.Close()
		at.ui = portOf(second)
	}
	return at, nil
}

func holdPort(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "tcp4", hostPort(0))
}

func portOf(l net.Listener) int {
	return int(netip.MustParseAddrPort(l.Addr().String()).Port())
}

func hostPort(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }
