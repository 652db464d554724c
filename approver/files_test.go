package main

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Nobody writes to the pipe: what opened it would wait for ever, and no signal
// would end it.
func TestFilesThatAreNamedAreNoPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, syscall.Mkfifo("pipe", 0o600))
	const says = "pipe is a pipe, and only a file is read here"
	var out bytes.Buffer
	require.ErrorContains(t, verification{signers: "pipe"}.run("bundle.json", &out), says)
	_, err := verification{signers: "/dev/null", policies: []string{"pipe"}}.options()
	require.ErrorContains(t, err, "/dev/null is a device, and only a file is read here")
}
