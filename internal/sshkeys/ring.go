// Package sshkeys finds a person's SSH keys, in files and in ssh-agent, and
// signs with them. Finding a key asks nobody anything; only signing may ask its
// person for a passphrase or a touch, and wait until the context ends.
package sshkeys

import (
	"context"
	"os"

	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/approvals/signature"
)

// Ring is where a person's keys are.
type Ring struct {
	// Agent is the socket of her ssh-agent; empty: there is none.
	Agent string
	// Passphrase asks for the passphrase of a key file.
	Passphrase func(ctx context.Context, prompt string) ([]byte, error)
}

// New returns the ring of whoever runs the program: the agent at
// SSH_AUTH_SOCK, and the terminal for passphrases.
func New() Ring { return Ring{Agent: os.Getenv("SSH_AUTH_SOCK"), Passphrase: askTerminal} }

// Key is a key that can sign.
type Key struct {
	// Public is nil for a file in an old format with a passphrase, which hides it.
	Public ssh.PublicKey
	Where  string // "ssh-agent", or the file
	open   func(ctx context.Context, use func(ssh.Signer) error) error
}

// Sign returns the armored signature of a message, as signature.Sign makes it.
// Of a key whose Public was hidden, accept is asked first whether it is the
// right one; it may be nil.
func (k Key) Sign(ctx context.Context, message []byte, accept func(ssh.PublicKey) error) (armored string, err error) {
	err = k.open(ctx, func(opened ssh.Signer) error {
		if k.Public == nil && accept != nil {
			if err := accept(opened.PublicKey()); err != nil {
				return err
			}
		}
		armored, err = signature.Sign(message, opened)
		return err
	})
	return armored, err
}

// Line is the key as an authorized_keys line has it, without comment, which is
// how signature.Key.Public is written; "" when the key is hidden.
func (k Key) Line() string {
	if k.Public == nil {
		return ""
	}
	return line(k.Public)
}

// Fingerprint is the key's SHA-256 fingerprint as ssh-keygen -l prints it; ""
// when the key is hidden.
func (k Key) Fingerprint() string {
	if k.Public == nil {
		return ""
	}
	return ssh.FingerprintSHA256(k.Public)
}
