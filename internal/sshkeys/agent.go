package sshkeys

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// inAgent is where an agent's keys are.
const inAgent = "ssh-agent"

// errNoAgent says that no agent is known.
var errNoAgent = errors.New("there is no ssh-agent (SSH_AUTH_SOCK is not set)")

// Offered lists the keys that the agent offers, in its order. Without an agent
// it is an error that says so.
func (r Ring) Offered(ctx context.Context) ([]Key, error) {
	var keys []Key
	err := r.talk(ctx, func(there agent.ExtendedAgent) error {
		listed, err := there.List()
		for _, k := range listed {
			keys = append(keys, Key{Public: k, Where: inAgent, open: r.opener(k)})
		}
		return err
	})
	return keys, err
}

// Only finds the agent's one key. When it offers several the error has their
// fingerprints, for a choice among them is their person's.
func (r Ring) Only(ctx context.Context) (Key, error) {
	keys, err := r.Offered(ctx)
	switch {
	case err != nil:
		return Key{}, err
	case len(keys) == 0:
		return Key{}, errors.New("ssh-agent offers no key: ssh-add one")
	case len(keys) == 1:
		return keys[0], nil
	}
	fingerprints := make([]string, len(keys))
	for i, k := range keys {
		fingerprints[i] = k.Fingerprint()
	}
	return Key{}, fmt.Errorf("ssh-agent offers %d keys, %s: name the .pub file of one", len(keys), strings.Join(fingerprints, ", "))
}

// offered finds one key in the agent.
func (r Ring) offered(ctx context.Context, wanted ssh.PublicKey) (Key, error) {
	keys, err := r.Offered(ctx)
	if err != nil {
		return Key{}, err
	}
	for _, k := range keys {
		if k.Line() == line(wanted) {
			return k, nil
		}
	}
	return Key{}, fmt.Errorf("ssh-agent does not offer the key %s (it offers %d): ssh-add it", ssh.FingerprintSHA256(wanted), len(keys))
}

// opener lets the agent sign with a key. It is asked anew: between finding a key
// and signing a person reads a plan.
func (r Ring) opener(public ssh.PublicKey) func(context.Context, func(ssh.Signer) error) error {
	return func(ctx context.Context, use func(ssh.Signer) error) error {
		return r.talk(ctx, func(there agent.ExtendedAgent) error {
			signers, err := there.Signers()
			if err != nil {
				return err
			}
			for _, s := range signers {
				if line(s.PublicKey()) == line(public) {
					return use(s)
				}
			}
			return fmt.Errorf("it does not offer the key %s any more", ssh.FingerprintSHA256(public))
		})
	}
}

// talk talks to the agent until ctx ends.
func (r Ring) talk(ctx context.Context, say func(agent.ExtendedAgent) error) error {
	if r.Agent == "" {
		return errNoAgent
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", r.Agent)
	if err != nil {
		return fmt.Errorf("ssh-agent: nobody answers at SSH_AUTH_SOCK: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := say(agent.NewClient(conn)); err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("ssh-agent: %w", err))
	}
	return nil
}
