// Package peak measures in tests how much memory a piece of work takes at most.
// The Go runtime cannot tell, and a process keeps what it once had: so each
// measurement has a process of its own, and Linux counts (proc_pid_status(5),
// VmHWM, and proc(5), clear_refs).
package peak

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// alone names, in the environment of the process that measures, what it measures.
const alone = "HOLDPOINT_PEAK_OF"

// Of is the most memory, in bytes, that what prepare returns takes beside what its
// process has before it, prepared things among it. That process is the test's own
// binary: it runs the same test, in which every Of but the one of this name does
// nothing and is 0. So a name is one within its test, and the test fails for what is
// found wrong there. Elsewhere than on Linux the test is skipped.
func Of(t *testing.T, name string, prepare func() (work func())) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says how much memory a process had at most since it was asked")
	}
	switch os.Getenv(alone) {
	case "":
		return inChild(t, name)
	case name:
		measured := here(t, prepare())
		fmt.Printf("\n%s %d\n", alone, measured)
		return measured
	default:
		return 0
	}
}

func inChild(t *testing.T, name string) int {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$") //nolint:gosec // the test's own binary and name
	cmd.Env = append(os.Environ(), alone+"="+name)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %.4000s", name, out)
	_, said, found := strings.Cut(string(out), "\n"+alone+" ")
	require.True(t, found, "%s: it has run", name)
	said, _, _ = strings.Cut(said, "\n")
	bytes, err := strconv.Atoi(said)
	require.NoError(t, err)
	t.Logf("%s: %d MB", name, bytes>>20)
	return bytes
}

func here(t *testing.T, work func()) int {
	t.Helper()
	debug.FreeOSMemory()
	require.NoError(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
	before := most(t)
	work()
	return most(t) - before
}

// most is the most memory that this process had, in bytes.
func most(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(status), "VmHWM:")
	require.True(t, found)
	kib, err := strconv.Atoi(strings.Fields(after)[0])
	require.NoError(t, err)
	return kib << 10
}
