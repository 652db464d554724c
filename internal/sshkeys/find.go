package sshkeys

import "context"

// AnyInAgent is the name, in the place of a file's, of whatever key is in ssh-agent.
const AnyInAgent = "agent"

// Find finds the key that a person names: the agent's only one by AnyInAgent, and
// else that of a file, as File does.
func (r Ring) Find(ctx context.Context, name string) (Key, error) {
	if name == AnyInAgent {
		return r.Only(ctx)
	}
	return r.File(ctx, name)
}
