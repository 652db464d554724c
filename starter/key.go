package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// inAgent is the --key that names whatever key is in ssh-agent.
const inAgent = "agent"

// openKey finds the key that is named: in a file, or in ssh-agent by its .pub
// file, or as its only one. The caller calls done when it has signed.
func openKey(ctx context.Context, name string) (key ssh.Signer, done func(), err error) {
	if name == inAgent {
		return agentKey(ctx, nil)
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, fmt.Errorf("--key: %w", err)
	}
	if public, _, _, _, err := ssh.ParseAuthorizedKey(raw); err == nil {
		return agentKey(ctx, public)
	}
	key, err = ssh.ParsePrivateKey(raw)
	if _, locked := errors.AsType[*ssh.PassphraseMissingError](err); locked {
		return nil, nil, fmt.Errorf("--key: %s has a passphrase; ssh-add it and give --key %s.pub", name, name)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--key: %s is no private key that can be read here: %w", name, err)
	}
	return key, func() {}, nil
}

// agentKey finds a key in ssh-agent: the wanted one, or the only one.
func agentKey(ctx context.Context, wanted ssh.PublicKey) (key ssh.Signer, done func(), err error) {
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return nil, nil, errors.New("--key: there is no ssh-agent (SSH_AUTH_SOCK is not set); give a private key file")
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, nil, fmt.Errorf("--key: ssh-agent: %w", err)
	}
	keys, err := agent.NewClient(conn).Signers()
	if err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("--key: ssh-agent: %w", err)
	}
	if wanted != nil {
		keys = slices.DeleteFunc(keys, func(k ssh.Signer) bool { return string(k.PublicKey().Marshal()) != string(wanted.Marshal()) })
	}
	if len(keys) != 1 {
		conn.Close()
		return nil, nil, fmt.Errorf("--key: ssh-agent offers %d such keys%s; give the .pub file of the one to sign with", len(keys), fingerprints(keys))
	}
	return keys[0], func() { conn.Close() }, nil
}

func fingerprints(keys []ssh.Signer) string {
	var all []string
	for _, k := range keys {
		all = append(all, ssh.FingerprintSHA256(k.PublicKey()))
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}
