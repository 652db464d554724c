package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
)

// claimerVariable makes this test binary a process that claims keys in the
// ledger file that it names.
const claimerVariable = "HOLDPOINT_TEST_CLAIMER"

const (
	processes = 6
	keys      = 40
)

func TestMain(m *testing.M) {
	if path := os.Getenv(claimerVariable); path != "" {
		if err := claimAll(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// claimAll waits for the end of its input, opens the ledger and claims every
// key. It prints those that it got.
func claimAll(path string) error {
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	l, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer l.Close()
	for i := range keys {
		begun, err := l.Begin(context.Background(), claim(fmt.Sprint("key-", i)))
		if err != nil {
			return err
		}
		if begun.Token > 0 {
			fmt.Println("got", i)
		}
	}
	return nil
}

// Processes that open a file that does not exist yet, all at the same moment,
// make one ledger of it, and each key has one winner.
func TestManyProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "effects.db")
	var inputs []io.Closer
	var outputs []*bufio.Scanner
	var commands []*exec.Cmd
	for range processes {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), claimerVariable+"="+path)
		cmd.Stderr = os.Stderr
		stdin, err := cmd.StdinPipe()
		require.NoError(t, err)
		stdout, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		out := bufio.NewScanner(stdout)
		require.True(t, out.Scan())
		require.Equal(t, "ready", out.Text())
		inputs, outputs, commands = append(inputs, stdin), append(outputs, out), append(commands, cmd)
	}
	for _, in := range inputs {
		require.NoError(t, in.Close())
	}

	winners := map[string]int{}
	var mu sync.Mutex
	var reading sync.WaitGroup
	for _, out := range outputs {
		reading.Go(func() {
			for out.Scan() {
				if key, ok := strings.CutPrefix(out.Text(), "got "); ok {
					mu.Lock()
					winners[key]++
					mu.Unlock()
				}
			}
		})
	}
	reading.Wait()
	for _, cmd := range commands {
		require.NoError(t, cmd.Wait())
	}
	require.Len(t, winners, keys)
	for key, n := range winners {
		require.Equal(t, 1, n, key)
	}
}
