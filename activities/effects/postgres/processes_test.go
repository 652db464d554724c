package postgres_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects/postgres"
)

// claimerVariable makes this test binary a process that claims keys in the
// database that it names.
const claimerVariable = "HOLDPOINT_TEST_CLAIMER"

const (
	processes = 4
	keys      = 100
)

// claimAll waits for the end of its input, opens the ledger and claims every
// key. It prints those that it got.
func claimAll(address string) error {
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	l, err := postgres.Open(context.Background(), address)
	if err != nil {
		return err
	}
	defer l.Close()
	for i := range keys {
		begun, err := l.Begin(context.Background(), claim(fmt.Sprint("key-", i), time.Hour))
		if err != nil {
			return err
		}
		if begun.Token > 0 {
			fmt.Println("got", i)
		}
	}
	return nil
}

// claimer is a process that claims keys when it is let go.
type claimer struct {
	command *exec.Cmd
	input   io.Closer
	output  *bufio.Scanner
}

func startClaimer(t *testing.T, address string) claimer {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), claimerVariable+"="+address)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := claimer{cmd, stdin, bufio.NewScanner(stdout)}
	require.True(t, c.output.Scan())
	require.Equal(t, "ready", c.output.Text())
	return c
}

// Processes that open the ledger in an empty database, all at the same moment,
// make one ledger of it, and each key has one winner.
func TestManyProcesses(t *testing.T) {
	address := cluster.Server(t).NewDatabase(t)
	var claimers []claimer
	for range processes {
		claimers = append(claimers, startClaimer(t, address))
	}
	for _, c := range claimers {
		require.NoError(t, c.input.Close())
	}
	winners := map[string]int{}
	for _, c := range claimers { // what they print fits into the pipes
		for c.output.Scan() {
			if key, ok := strings.CutPrefix(c.output.Text(), "got "); ok {
				winners[key]++
			}
		}
		require.NoError(t, c.command.Wait())
	}
	require.Len(t, winners, keys)
	for key, n := range winners {
		require.Equal(t, 1, n, key)
	}
}
