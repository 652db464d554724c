package sshkeys

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"
)

// askTerminal asks at the terminal itself, for standard input may be a file,
// and does not show what is typed. When ctx ends it leaves the terminal as it
// was.
func askTerminal(ctx context.Context, prompt string) ([]byte, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.New("there is no terminal to ask for it")
	}
	defer tty.Close()
	fd := int(tty.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return nil, fmt.Errorf("the terminal cannot ask for it: %w", err)
	}
	fmt.Fprint(tty, prompt)
	type answer struct {
		typed []byte
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		typed, err := term.ReadPassword(fd)
		answers <- answer{typed, err}
	}()
	select {
	case a := <-answers:
		fmt.Fprintln(tty)
		return a.typed, a.err
	case <-ctx.Done():
		fmt.Fprintln(tty)
		return nil, errors.Join(ctx.Err(), term.Restore(fd, before))
	}
}
