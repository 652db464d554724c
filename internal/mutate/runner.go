package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// runner runs tests without their guards.
type runner struct {
	root    string
	timeout time.Duration
}

// verdict is what became of a mutation.
type verdict struct {
	word   string
	detail string // the output that explains it; empty when caught
}

// The words of a verdict.
const (
	caught   = "caught"   // each of its tests failed
	survived = "SURVIVED" // a test still passes
	defect   = "DEFECT"   // the mutation says nothing: it does not compile, a test was skipped, or did not end
)

// run takes the guard out and runs the tests.
func (r runner) run(ctx context.Context, m Mutation) verdict {
	scratch, err := os.MkdirTemp("", "holdpoint-mutate-")
	if err != nil {
		return verdict{defect, err.Error()}
	}
	defer os.RemoveAll(scratch)
	overlay, err := r.overlay(m, scratch)
	if err != nil {
		return verdict{defect, err.Error()}
	}
	flags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -overlay=" + overlay)
	// What does not compile would fail every test, and prove nothing.
	for _, build := range [][]string{
		{"build", "-o", os.DevNull, "./" + filepath.ToSlash(filepath.Dir(m.File))},
		{"test", "-c", "-o", filepath.Join(scratch, "compiled"), "./" + m.Package},
	} {
		if out, err := r.command(ctx, flags, build...).CombinedOutput(); err != nil {
			return verdict{defect, fmt.Sprintf("it does not compile: %v\n%s", err, out)}
		}
	}
	// go test's own limit dumps the goroutines; the margin is for its end.
	ctx, cancel := context.WithTimeout(ctx, r.timeout+time.Minute)
	defer cancel()
	out, err := r.command(ctx, flags, "test", "-json", "-vet=off", "-count=1",
		"-timeout", r.timeout.String(), "-run", pattern(m.Tests), "./"+m.Package).Output()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return verdict{defect, err.Error()}
	}
	return judge(m.Tests, out)
}

// overlay writes the file without its guard, and the list that puts it in the
// real one's place.
func (r runner) overlay(m Mutation, scratch string) (path string, err error) {
	mutated, err := m.apply(r.root)
	if err != nil {
		return "", err
	}
	file := filepath.Join(scratch, filepath.Base(m.File))
	if err := os.WriteFile(file, mutated, 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(r.root, m.File): file}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(scratch, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}

// command runs go in the tree, with the overlay in the environment: so it also
// holds for what the tests build.
func (r runner) command(ctx context.Context, flags string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), "GOFLAGS="+flags)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	return cmd
}

// pattern selects the tests, those with a slash in their name by what is
// before it.
func pattern(tests []string) string {
	names := make([]string, 0, len(tests))
	for _, test := range tests {
		name, _, _ := strings.Cut(test, "/")
		names = append(names, name)
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// event is one line of `go test -json`, as far as it matters here. Its names
// are those of the stream.
type event struct {
	Action string `json:"Action"` //nolint:tagliatelle // as go test writes it
	Test   string `json:"Test"`   //nolint:tagliatelle // as above
	Output string `json:"Output"` //nolint:tagliatelle // as above
}

// judge reads the events of go test.
func judge(tests []string, events []byte) verdict {
	actions, output := map[string]string{}, strings.Builder{}
	for line := range bytes.Lines(events) {
		var e event
		if json.Unmarshal(line, &e) != nil {
			output.Write(line)
			continue
		}
		switch e.Action {
		case "pass", "fail", "skip":
			actions[e.Test] = e.Action
		case "output":
			output.WriteString(e.Output)
		}
	}
	if strings.Contains(output.String(), "panic: test timed out") {
		return verdict{defect, "its tests did not end in time\n" + tail(output.String())}
	}
	v := verdict{word: caught}
	for _, test := range tests {
		switch actions[test] {
		case "fail":
		case "pass":
			v.word = survived
			v.detail += test + " still passes\n"
		case "skip":
			return verdict{defect, test + " was skipped\n" + tail(output.String())}
		default:
			return verdict{defect, test + " did not run\n" + tail(output.String())}
		}
	}
	return v
}

// tail is the end of a long output.
func tail(s string) string {
	const most = 4000
	return s[max(len(s)-most, 0):]
}
