package child_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
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
