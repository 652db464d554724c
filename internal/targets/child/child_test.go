package child_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/targets/child"
)

// The grandchild holds the write end of a pipe: it is gone when that closes.
func TestProcessEndsWithItsChildren(t *testing.T) {
	for name, end := range map[string]func(*child.Process) error{"Stop": (*child.Process).Stop, "Kill": (*child.Process).Kill} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			cmd := exec.Command("sh", "-c", "sleep 600 & echo started; wait")
			cmd.Stdout = w
			p, err := child.Start(cmd)
			require.NoError(t, err)
			w.Close()
			out := bufio.NewReader(r)
			line, err := out.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "started\n", line)

			require.NoError(t, end(p))
			<-p.Gone()
			_, err = io.ReadAll(out)
			require.NoError(t, err)
			require.NoError(t, end(p), "one that has ended")
		})
	}
}

// The child of one that runs alone is its own business: signals do not reach it.
func TestProcessThatRunsAloneEndsAlone(t *testing.T) {
	for name, end := range map[string]func(*child.Process) error{
		"End":  func(p *child.Process) error { return p.End(syscall.SIGALRM) }, // a signal that no shell or nohup lets children ignore
		"Stop": (*child.Process).Stop,
		"Kill": (*child.Process).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			// The grandchild repeats a word, when it is told one.
			cmd := exec.Command("sh", "-c", `{ read -r word; echo "$word"; } <&3 & echo started; wait`)
			hold, release, err := os.Pipe()
			require.NoError(t, err)
			defer release.Close()
			cmd.Stdout, cmd.ExtraFiles = w, []*os.File{hold}
			p, err := child.StartAlone(cmd, syscall.SIGTERM)
			require.NoError(t, err)
			w.Close()
			hold.Close()
			out := bufio.NewReader(r)
			line, err := out.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "started\n", line)
			require.True(t, p.Running())

			require.NoError(t, end(p))
			require.False(t, p.Running())
			require.NoError(t, end(p), "one that has ended")
			_, err = release.WriteString("alive\n")
			require.NoError(t, err)
			line, err = out.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "alive\n", line)
		})
	}
}

func TestStartOfNoProgramFails(t *testing.T) {
	_, err := child.Start(exec.Command(t.TempDir() + "/none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestFreePortsDiffer(t *testing.T) {
	ports, err := child.FreePorts(t.Context(), 3)
	require.NoError(t, err)
	require.Len(t, ports, 3)
	require.NotEqual(t, ports[0], ports[1])
	require.NotEqual(t, ports[1], ports[2])
	for _, p := range ports {
		listener, err := net.Listen("tcp4", p)
		require.NoError(t, err)
		listener.Close()
	}
}
