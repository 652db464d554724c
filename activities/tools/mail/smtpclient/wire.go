package smtpclient

import (
	"errors"
	"net"
	"sync"
)

// maxAnswers bounds what a server may say in one conversation, in bytes, so
// that a line without an end does not fill the memory.
const maxAnswers = 256 << 10

var errTalkative = errors.New("the mail server says too much")

// wire is the connection below TLS. It knows how much has left this machine.
type wire struct {
	net.Conn

	mu   sync.Mutex
	sent int64
	read int
}

func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent += int64(n)
	return n, err
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.read += n; w.read > maxAnswers {
		return 0, errTalkative
	}
	return n, err
}

// written is the number of bytes that were handed to the system.
func (w *wire) written() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}
