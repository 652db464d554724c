package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/holdpoint/holdpoint/workflows"
)

// stopGrace is how long a worker may hand its work over before it is killed.
const stopGrace = 15 * time.Second

// background is a program that runs beside the demo.
type background struct {
	command *exec.Cmd
	log     *os.File
	done    chan struct{}
}

// startWorker starts a worker and waits until it polls.
func (d *demo) startWorker(ctx context.Context) (*background, error) {
	log, err := os.Create(filepath.Join(d.home, "worker.log"))
	if err != nil {
		return nil, err
	}
	// Not the demo's context: the worker is stopped by request, not by force.
	command := exec.CommandContext(context.WithoutCancel(ctx), d.binary("worker"), "--config", d.example("holdpoint.yaml"),
		"--data", d.home, "--repository", "kb="+d.place())
	command.Dir = d.example("")
	command.Env, command.Stdout, command.Stderr = d.environment(), log, log
	// A group of its own: Ctrl-C reaches the demo, and the demo stops it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	b := &background{command: command, log: log, done: make(chan struct{})}
	go func() {
		_ = command.Wait() // its log says why it ended
		close(b.done)
	}()
	return b, b.ready(ctx)
}

// ready waits for the worker's first line. A worker that does not come to it is
// stopped.
func (b *background) ready(ctx context.Context) error {
	for {
		said, err := os.ReadFile(b.log.Name())
		if err != nil {
			b.stop()
			return err
		}
		if bytes.Contains(said, []byte(" polls task queue ")) {
			return nil
		}
		select {
		case <-ctx.Done():
			b.stop()
			return ctx.Err()
		case <-b.done:
			b.stop()
			return fmt.Errorf("the worker did not start: %s", bytes.TrimSpace(said))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop ends the worker: by request, and by force when that takes too long.
func (b *background) stop() {
	defer b.log.Close()
	_ = b.command.Process.Signal(syscall.SIGTERM) // gone already is fine
	select {
	case <-b.done:
	case <-time.After(stopGrace):
		_ = b.command.Process.Kill()
		<-b.done
	}
}

// program runs one of our own programs in the foreground.
func (d *demo) program(ctx context.Context, name string, args ...string) error {
	return d.command(ctx, d.out, d.binary(name), args...).Run()
}

// shell runs a command line as a person would, with the demo's own temporal.
func (d *demo) shell(ctx context.Context, line string) error {
	return d.command(ctx, d.out, "/bin/sh", "-c", line).Run()
}

func (d *demo) command(ctx context.Context, out io.Writer, path string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, path, args...)
	c.Env, c.Stdout, c.Stderr = d.environment(), out, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

func (d *demo) status(ctx context.Context) (workflows.Status, error) {
	var s workflows.Status
	err := d.answer(ctx, &s, "starter", "status", "-o", "json", runID)
	return s, err
}

// answer runs one of our programs and reads the JSON that it prints.
func (d *demo) answer(ctx context.Context, into any, name string, args ...string) error {
	var raw bytes.Buffer
	if err := d.command(ctx, &raw, d.binary(name), args...).Run(); err != nil {
		return err
	}
	return json.Unmarshal(raw.Bytes(), into)
}

// commits counts the commits of the knowledge base, as Git has them.
func (d *demo) commits(ctx context.Context) (int, error) {
	var count bytes.Buffer
	err := d.command(ctx, &count, "git", "-C", d.kb(), "rev-list", "--count", "--all").Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(count.String()))
}

// environment is ours without any Temporal profile: the demo speaks to its
// own server only.
func (d *demo) environment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TEMPORAL_") && !strings.HasPrefix(v, "PATH=") {
			env = append(env, v)
		}
	}
	return append(env,
		"TEMPORAL_ADDRESS="+d.address,
		"TEMPORAL_CONFIG_FILE="+filepath.Join(d.home, "no-profile.toml"),
		"PATH="+filepath.Dir(d.cli)+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func (d *demo) binary(name string) string { return filepath.Join(d.home, "bin", name) }
