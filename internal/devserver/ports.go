package devserver

import (
	"net"
	"strconv"
)

// ports are where one server listens on the loopback interface.
type ports struct {
	frontend int
	ui       int // 0 without a Web UI
}

// freePorts asks the system for ports that nobody listens on. Until the server
// binds them somebody else may; [Start] then takes others.
func freePorts(ui bool) (ports, error) {
	frontend, err := holdPort()
	if err != nil {
		return ports{}, err
	}
	defer frontend.Close()
	at := ports{frontend: portOf(frontend)}
	if ui {
		// Both are held at the same time, so that they differ.
		second, err := holdPort()
		if err != nil {
			return ports{}, err
		}
		defer second.Close()
		at.ui = portOf(second)
	}
	return at, nil
}

func holdPort() (net.Listener, error) { return net.Listen("tcp4", net.JoinHostPort(loopback, "0")) }

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

func hostPort(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }
