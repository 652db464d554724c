package signature

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// startAgent runs the real ssh-agent until the test ends, and returns its
// socket.
func startAgent(t *testing.T) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	cmd := exec.Command(tool(t, "ssh-agent"), "-D", "-a", socket)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	})
	require.Eventually(t, func() bool {
		c, err := net.Dial("unix", socket)
		if err != nil {
			return false
		}
		return c.Close() == nil
	}, 20*time.Second, 20*time.Millisecond)
	return socket
}

// agentSigners adds the keys in these files to a new agent, and returns what
// the agent offers to sign with.
func agentSigners(t *testing.T, paths ...string) []ssh.Signer {
	t.Helper()
	socket := startAgent(t)
	cmd := exec.Command(tool(t, "ssh-add"), append([]string{"-q"}, paths...)...)
	cmd.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	conn, err := net.Dial("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	signers, err := agent.NewClient(conn).Signers()
	require.NoError(t, err)
	require.Len(t, signers, len(paths))
	return signers
}

func TestWithSSHAgent(t *testing.T) {
	k := newKeygen(t)
	var paths []string
	for name, args := range realKinds {
		path, _ := k.key(name, args...)
		paths = append(paths, path)
	}
	for _, signer := range agentSigners(t, paths...) {
		allowed := mei + " " + line(signer)
		armored := sign(t, statement, signer)
		_, err := Verify(statement, armored, keysOf(t, allowed, mei), noon)
		require.NoError(t, err)
		good, said := k.verifies(statement, armored, allowed, mei, Namespace, noon)
		require.True(t, good, said)
	}
}

// An agent may hold keys whose signatures do not count.
func TestShortKeyInSSHAgent(t *testing.T) {
	path, _ := newKeygen(t).key("id", "-t", "rsa", "-b", "1024")
	_, err := Sign(statement, agentSigners(t, path)[0])
	require.ErrorContains(t, err, "RSA key of 1024 bits")
}
