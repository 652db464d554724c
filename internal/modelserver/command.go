package modelserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdpoint/holdpoint/internal/cli"
)

// NewCommand is the command "model-server", which serves a script until its
// context ends.
func NewCommand() *cobra.Command {
	var script, listen, record string
	command := &cobra.Command{
		Use:   "model-server --script FILE",
		Short: "Answer as a model does, from a script",
		Long: `Answer as a model does, from a script, until SIGINT or SIGTERM: to try a task, and what it does when
a model fails, without a model. docs/model-server.md describes the script.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if script == "" {
				return cli.Usagef("--script is missing")
			}
			return run(c, script, listen, record)
		},
	}
	command.Flags().StringVar(&script, "script", "", "YAML file with the answers")
	command.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address to listen on; port 0 is a free one")
	command.Flags().StringVar(&record, "record", "", "file to add each request's body to, a line of JSON each")
	return command
}

func run(c *cobra.Command, path, listen, record string) error {
	script, err := Load(path)
	if err != nil {
		return err
	}
	heard := &listener{out: c.OutOrStdout()}
	if record != "" {
		file, err := openRecord(record)
		if err != nil {
			return err
		}
		defer file.Close()
		heard.record = file
	}
	server, err := Start(Options{Script: script, Listen: listen, Heard: heard.hear})
	if err != nil {
		return err
	}
	defer server.Close()
	heard.say("openai: base_url: %s\nanthropic: base_url: %s\n", server.OpenAIURL(), server.AnthropicURL())
	<-c.Context().Done()
	return nil
}

// openRecord opens the file to which requests are added. It waits for nobody: a
// pipe that nobody reads is an error.
func openRecord(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("%s is a pipe that nobody reads: read it first, or name a file", path)
	}
	return file, err
}

// listener tells of calls, one at a time.
type listener struct {
	mu     sync.Mutex
	out    io.Writer
	record io.Writer // nil: no file
}

func (l *listener) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, format, args...)
}

// hear records a call, and prints a line for it. Its headers stay out of both:
// one of them is a key.
func (l *listener) hear(call Call) {
	if err := l.keep(call); err != nil {
		l.say("call %d is not recorded: %s\n", call.Number, err)
	}
	l.say("call %d: %s, %d bytes; the answer is %s\n", call.Number, call.API, len(call.Body), call.Answer.Summary())
}

func (l *listener) keep(call Call) error {
	if l.record == nil {
		return nil
	}
	line, err := json.Marshal(struct {
		Call int             `json:"call"`
		API  API             `json:"api"`
		At   time.Time       `json:"at"`
		Body json.RawMessage `json:"body"`
	}{call.Number, call.API, call.At.UTC(), call.Body})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.record.Write(append(line, '\n'))
	return err
}
