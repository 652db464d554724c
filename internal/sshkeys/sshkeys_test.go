package sshkeys

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/holdpoint/holdpoint/approvals/signature"
)

var statement = []byte("holdpoint decision v1\n")

// newKey returns a private key, and its public one.
func newKey(t *testing.T) (ed25519.PrivateKey, ssh.PublicKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	return private, signer.PublicKey()
}

func write(t *testing.T, name string, raw []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	return path
}

// listen serves every connection to a socket of its own.
func listen(t *testing.T, serve func(net.Conn)) (socket string) {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return listener.Addr().String()
}

func serving(ring agent.Agent) func(net.Conn) {
	return func(conn net.Conn) {
		defer conn.Close()
		_ = agent.ServeAgent(ring, conn) // ends with its client
	}
}

func requireSigned(t *testing.T, k Key, by ssh.PublicKey) {
	t.Helper()
	armored, err := k.Sign(t.Context(), statement, nil)
	require.NoError(t, err)
	_, err = signature.Verify(statement, armored, []signature.Key{{Public: Key{Public: by}.Line()}}, time.Time{})
	require.NoError(t, err)
}

func TestAgentKeyBySocketAndByPubFile(t *testing.T) {
	ring := agent.NewKeyring()
	var publics []ssh.PublicKey
	for range 3 {
		private, public := newKey(t)
		publics = append(publics, public)
		require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: private}))
	}
	r := Ring{Agent: listen(t, serving(ring))}
	offered, err := r.Offered(t.Context())
	require.NoError(t, err)
	require.Len(t, offered, 3)
	for i, k := range offered {
		require.Equal(t, ssh.FingerprintSHA256(publics[i]), k.Fingerprint())
		requireSigned(t, k, publics[i])
	}
	k, err := r.File(t.Context(), write(t, "id.pub", ssh.MarshalAuthorizedKey(publics[1])))
	require.NoError(t, err)
	requireSigned(t, k, publics[1])

	_, absent := newKey(t)
	_, err = r.File(t.Context(), write(t, "id.pub", ssh.MarshalAuthorizedKey(absent)))
	require.ErrorContains(t, err, "does not offer the key "+ssh.FingerprintSHA256(absent))
	require.NoError(t, ring.RemoveAll())
	_, err = k.Sign(t.Context(), statement, nil)
	require.ErrorContains(t, err, "any more", "it was taken out while its person read")
	_, err = Ring{}.Offered(t.Context())
	require.ErrorIs(t, err, errNoAgent)
}

func TestTheOnlyKeyOfAnAgent(t *testing.T) {
	ring := agent.NewKeyring()
	r := Ring{Agent: listen(t, serving(ring))}
	_, err := r.Only(t.Context())
	require.ErrorContains(t, err, "offers no key")
	private, public := newKey(t)
	require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: private}))
	k, err := r.Only(t.Context())
	require.NoError(t, err)
	requireSigned(t, k, public)
	other, otherPublic := newKey(t)
	require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: other}))
	_, err = r.Only(t.Context())
	require.ErrorContains(t, err, "offers 2 keys, "+ssh.FingerprintSHA256(public)+", "+ssh.FingerprintSHA256(otherPublic))
	_, err = Ring{}.Only(t.Context())
	require.ErrorIs(t, err, errNoAgent)
}

func TestAWrongPassphraseIsSaidInWords(t *testing.T) {
	private, _ := newKey(t)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("sesame"))
	require.NoError(t, err)
	path := write(t, "id", pem.EncodeToMemory(block))
	r := Ring{Passphrase: func(context.Context, string) ([]byte, error) { return []byte("open"), nil }}
	k, err := r.File(t.Context(), path)
	require.NoError(t, err)
	_, err = k.Sign(t.Context(), statement, nil)
	require.EqualError(t, err, path+" is not opened by this passphrase")
}

// An agent may ask its person for a touch, who presses Ctrl-C instead.
func TestAgentThatDoesNotAnswerIsLeft(t *testing.T) {
	taken := make(chan struct{}, 1)
	r := Ring{Agent: listen(t, func(conn net.Conn) {
		defer conn.Close()
		_, _ = conn.Read(make([]byte, 64))
		taken <- struct{}{}
		_, _ = conn.Read(make([]byte, 64)) // until the client hangs up
	})}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-taken
		cancel()
	}()
	_, err := r.Offered(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// A file in the old PEM form shows its public key only to whoever opens it.
func TestKeyThatItsFileHidesIsAcceptedBeforeItSigns(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	block, err := x509.EncryptPEMBlock(rand.Reader, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(private), []byte("sesame"), x509.PEMCipherAES256) //nolint:staticcheck // what such files are
	require.NoError(t, err)
	r := Ring{Passphrase: func(context.Context, string) ([]byte, error) { return []byte("sesame"), nil }}
	k, err := r.File(t.Context(), write(t, "id", pem.EncodeToMemory(block)))
	require.NoError(t, err)
	require.Empty(t, k.Fingerprint())
	require.Empty(t, k.Line())
	public, err := ssh.NewPublicKey(&private.PublicKey)
	require.NoError(t, err)
	requireSigned(t, k, public)
	refused := errors.New("another's")
	_, err = k.Sign(t.Context(), statement, func(shown ssh.PublicKey) error {
		require.Equal(t, public.Marshal(), shown.Marshal())
		return refused
	})
	require.ErrorIs(t, err, refused)
}

func TestFilesThatAreNoKeys(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "id")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for name, path := range map[string]string{
		"is a pipe":      pipe, // nobody writes to it, and nobody waits for that
		"no private key": write(t, "id", []byte("hello")),
		"bytes":          write(t, "id", make([]byte, MaxFileBytes+1)),
		"no such file":   filepath.Join(t.TempDir(), "id"),
	} {
		_, err := Ring{}.File(t.Context(), path)
		require.ErrorContains(t, err, name)
	}
}
