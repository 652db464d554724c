package gitcli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
)

// Conversation is a git command that answers questions until it is closed, or
// the context of Talk ends.
type Conversation struct {
	In  io.WriteCloser
	Out *bufio.Reader

	pipe io.Closer
	cmd  *exec.Cmd
}

// Talk starts a command, such as cat-file --batch.
func (g Git) Talk(ctx context.Context, args ...string) (*Conversation, error) {
	cmd := g.command(ctx, args)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &Conversation{In: in, Out: bufio.NewReader(out), pipe: out, cmd: cmd}, nil
}

// Close ends the command, which has nothing more to read and, for an answer
// that was not read to its end, nowhere to write to, and waits for it.
func (c *Conversation) Close() error {
	return errors.Join(c.In.Close(), c.pipe.Close(), c.cmd.Wait())
}
