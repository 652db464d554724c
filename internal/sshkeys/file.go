package sshkeys

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/internal/regularfile"
)

// MaxFileBytes bounds a key file, and a file with a signature: an RSA key of
// 8192 bits has some 6 KiB.
const MaxFileBytes = 64 << 10

// ReadFile reads a small file, so that a wrong name is not read to its end.
func ReadFile(path string) ([]byte, error) {
	file, err := regularfile.Open(path)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(file, MaxFileBytes+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if len(raw) > MaxFileBytes {
		return nil, fmt.Errorf("%s has more than %d bytes; neither a key nor a signature has", path, MaxFileBytes)
	}
	return raw, nil
}

// File finds the key of a file: a private key in OpenSSH's or a PEM format, or
// a .pub file, which names a key of the agent.
func (r Ring) File(ctx context.Context, path string) (Key, error) {
	raw, err := ReadFile(path)
	if err != nil {
		return Key{}, err
	}
	if public, _, _, _, err := ssh.ParseAuthorizedKey(raw); err == nil {
		return r.offered(ctx, public)
	}
	signer, err := ssh.ParsePrivateKey(raw)
	if locked, ok := errors.AsType[*ssh.PassphraseMissingError](err); ok {
		return Key{Public: locked.PublicKey, Where: path, open: func(ctx context.Context, use func(ssh.Signer) error) error {
			signer, err := r.unlock(ctx, raw, path)
			if err != nil {
				return err
			}
			return use(signer)
		}}, nil
	}
	if err != nil {
		return Key{}, fmt.Errorf("%s is no private key that can be read here: %w. "+
			"A key on a security device signs through ssh-agent: ssh-add it and name %s.pub", path, err, path)
	}
	return Key{Public: signer.PublicKey(), Where: path, open: func(_ context.Context, use func(ssh.Signer) error) error {
		return use(signer)
	}}, nil
}

func (r Ring) unlock(ctx context.Context, raw []byte, path string) (ssh.Signer, error) {
	typed, err := r.Passphrase(ctx, "passphrase of "+path+": ")
	if err != nil {
		return nil, fmt.Errorf("%s has a passphrase: %w. ssh-agent can ask for it: ssh-add %s, and name %s.pub", path, err, path, path)
	}
	defer clear(typed)
	signer, err := ssh.ParsePrivateKeyWithPassphrase(raw, typed)
	switch {
	case errors.Is(err, x509.IncorrectPasswordError):
		return nil, fmt.Errorf("%s is not opened by this passphrase", path)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read with this passphrase: %w", path, err)
	default:
		return signer, nil
	}
}

func line(public ssh.PublicKey) string {
	return strings.TrimSuffix(string(ssh.MarshalAuthorizedKey(public)), "\n")
}
