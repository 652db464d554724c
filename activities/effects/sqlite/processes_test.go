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

// endlessVariable makes it one that claims keys until it is killed.
const endlessVariable = "HOLDPOINT_TEST_ENDLESS_CLAIMER"

const (
	processes = 6
	keys      = 40
)

func TestMain(m *testing.M) {
	for variable, claim := range map[string]func(path string) error{claimerVariable: claimAll, endlessVariable: claimOn} {
		if path := os.Getenv(variable); path != "" {
			if err := claim(path); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
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

// claimOn claims one key after the other, and prints each.
func claimOn(path string) error {
	l, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer l.Close()
	for i := 0; ; i++ {
		begun, err := l.Begin(context.Background(), claim(fmt.Sprint("key-", i)))
		if err != nil {
			return err
		}
		fmt.Println(begun.Token)
	}
}

// A process that is killed while it writes leaves every claim that it was
// given, and no lock.
func TestKilledWhileWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "effects.db")
	for round := 1; round <= 3; round++ {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), endlessVariable+"="+path)
		cmd.Stderr = os.Stderr
		stdout, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		given := 0
		for out := bufio.NewScanner(stdout); out.Scan(); {
			if given++; given == 20*round {
				require.NoError(t, cmd.Process.Kill())
			}
		}
		require.Error(t, cmd.Wait())

		l, err := sqlite.Open(t.Context(), path)
		require.NoError(t, err)
		rows, err := l.Rows(t.Context(), keysTo(given))
		require.NoError(t, err)
		require.Len(t, rows, given)
		for _, row := range rows { // the next round claims them anew
			require.NoError(t, l.Release(t.Context(), row.Key, row.Token, "killed"))
		}
		begin(t, l, fmt.Sprint("after round ", round))
		require.NoError(t, l.Close())
	}
}

func keysTo(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint("key-", i))
	}
	return all
}
