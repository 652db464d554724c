package devserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// parentVar makes the test binary play the parent of TestChildDiesWithItsParent.
const parentVar = "DEVSERVER_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentVar) != "" {
		playParent()
	}
	os.Exit(m.Run())
}

// playParent starts a child, tells its process ID and waits to be killed. It
// keeps the Go runtime busy meanwhile, so that threads come and go.
func playParent() {
	p, err := startProcess("sleep", []string{"300"}, os.Stderr)
	if err != nil {
		panic(err)
	}
	for range 100 {
		go func() { time.Sleep(time.Millisecond) }()
	}
	fmt.Println(p.child.Pid)
	<-p.gone
	os.Exit(3)
}

// Killed with no chance to clean up, a parent leaves no server behind.
func TestChildDiesWithItsParent(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), parentVar+"=1")
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	var child int
	_, err = fmt.Fscan(out, &child)
	require.NoError(t, err)
	require.True(t, alive(child))

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	require.Eventually(t, func() bool { return !alive(child) }, time.Minute, 10*time.Millisecond)
}

// A signal to this process's group, as a Ctrl-C in a terminal sends it, does
// not reach the child.
func TestChildHasItsOwnProcessGroup(t *testing.T) {
	p, err := startProcess("sleep", []string{"300"}, os.Stderr)
	require.NoError(t, err)
	defer func() { require.NoError(t, p.kill()) }()
	group, err := syscall.Getpgid(p.child.Pid)
	require.NoError(t, err)
	require.Equal(t, p.child.Pid, group)
}

// alive reports whether the process runs; one that only waits to be collected
// by its parent does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
