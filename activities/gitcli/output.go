package gitcli

import (
	"bytes"
	"io"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// limited keeps what is written to it, up to a limit.
type limited struct {
	bytes.Buffer
	left int
	full bool
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		l.full = true
		return 0, ErrOutput
	}
	l.left -= len(p)
	return l.Buffer.Write(p)
}

// caught is a writer that keeps a panic of another one from this process. What
// git answers is copied in a goroutine of os/exec's, where nobody else could.
type caught struct {
	to      io.Writer
	command string
	panic   *faults.Fault // nil for none
}

func (c *caught) Write(p []byte) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			c.panic = faults.Panicked("reading what git "+c.command+" answered", r)
			n, err = 0, c.panic
		}
	}()
	return c.to.Write(p)
}
