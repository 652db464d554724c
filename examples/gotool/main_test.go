package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asProgram lets the test's own program be the example's.
const asProgram = "GOTOOL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// commands are what the README tells to type after `bin/worker-notebook`, without
// the line that runs a worker.
var commands = regexp.MustCompile(`(?m)^bin/worker-notebook ((?:config|drill) [^#\n]*)`)

// The program is the real worker, with the tool among its others, and the
// tool's class stands the drill: by the README's own lines, in the repository.
func TestWorkerWithAToolAsTheREADMETells(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	typed := commands.FindAllStringSubmatch(string(readme), -1)
	require.Len(t, typed, 2, "config and drill")
	self, err := os.Executable()
	require.NoError(t, err)
	book := t.TempDir()
	run := func(line string) string {
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), self, strings.Fields(line)...)
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = filepath.Join("..", ".."), strings.NewReader("y\n"), &out, &out
		cmd.Env = append(os.Environ(), asProgram+"=1", "NOTEBOOK="+book)
		require.NoError(t, cmd.Run(), "%s\n%s", line, &out)
		return out.String()
	}
	require.Regexp(t, `notebook +go +1 +conditional +low +the target: it refuses a second effect`, run(typed[0][1]))

	out := run(typed[1][1])
	require.Contains(t, out, "\nclass conditional holds\n")
	require.NotContains(t, out, "open  ")
	pages, err := filepath.Glob(filepath.Join(book, "*"))
	require.NoError(t, err)
	require.Len(t, pages, 2, "one effect of each of its two keys, counted at the target")
	require.Contains(t, out, "ok      two at once: the target answered both with one receipt")
}
