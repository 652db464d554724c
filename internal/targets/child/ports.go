package child

import (
	"context"
	"net"
)

// FreePorts asks the system for n different loopback addresses, as host:port,
// at which nobody listens. Until a program binds them somebody else may: a
// caller whose program ends at once tries again with others.
func FreePorts(ctx context.Context, n int) ([]string, error) {
	var addresses []string
	for range n {
		var config net.ListenConfig
		listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close() // all are held until the last is there, so that they differ
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, nil
}
