package main

import (
	"context"
	"fmt"

	"github.com/holdpoint/holdpoint/internal/sshkeys"
)

// inAgent is the --key that names whatever key is in ssh-agent.
const inAgent = "agent"

// findKey finds the key that --key names: in a file, in ssh-agent by its .pub
// file, or as the agent's only one.
func findKey(ctx context.Context, ring sshkeys.Ring, name string) (key sshkeys.Key, err error) {
	if name == inAgent {
		key, err = ring.Only(ctx)
	} else {
		key, err = ring.File(ctx, name)
	}
	if err != nil {
		return key, fmt.Errorf("--key: %w", err)
	}
	return key, nil
}
