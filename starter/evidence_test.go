package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/internal/sshkeys"
)

// keyFile writes a private key with a passphrase, and returns its public one.
func keyFile(t *testing.T, passphrase string) (path string, public ssh.PublicKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "id")
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	return path, signer.PublicKey()
}

func sealed(t *testing.T) (evidence.Bundle, ssh.PublicKey) {
	t.Helper()
	path, public := keyFile(t, "sesame")
	key, err := sshkeys.Ring{Passphrase: func(context.Context, string) ([]byte, error) { return []byte("sesame"), nil }}.Find(t.Context(), path)
	require.NoError(t, err)
	bundle, err := evidence.New(evidence.Content{RunID: "acme/x"})
	require.NoError(t, err)
	bundle, err = bundle.SealedBy("Ann.Wu", func(statement []byte) (string, error) { return key.Sign(t.Context(), statement, nil) })
	require.NoError(t, err)
	return bundle, public
}

// Its passphrase is asked for, as approver does.
func TestAKeyWithAPassphraseSeals(t *testing.T) {
	bundle, public := sealed(t)
	require.Equal(t, "ann.wu", bundle.Seal.By)
	_, err := signature.Verify(evidence.SealStatement("acme/x", bundle.Seal.Content), bundle.Seal.Sign,
		[]signature.Key{{Public: sshkeys.Key{Public: public}.Line()}}, time.Time{})
	require.NoError(t, err)
}

func TestKeysThatCannotBeFound(t *testing.T) {
	for name, tt := range map[string]struct{ key, says string }{
		"no agent": {sshkeys.AnyInAgent, "--key: there is no ssh-agent"},
		"no file":  {filepath.Join(t.TempDir(), "id"), "--key: "},
	} {
		t.Setenv("SSH_AUTH_SOCK", "")
		_, err := export{key: tt.key}.seal(t.Context(), evidence.Bundle{}, io.Discard)
		require.ErrorContains(t, err, tt.says, name)
	}
}

// A signed document is not lost to one that proves less.
func TestASealedDocumentIsNotReplacedByOneThatIsNot(t *testing.T) {
	bundle, _ := sealed(t)
	write := func(v any) string {
		path := filepath.Join(t.TempDir(), "bundle.json")
		raw, err := json.Marshal(v)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, raw, 0o600))
		return path
	}
	there := write(bundle)
	bundle.Seal.By, bundle.Seal.Sign = "", ""
	require.EqualError(t, export{output: there}.mayReplace(),
		there+" is sealed by ann.wu, and this one would not be: seal it with --key, name another file, or say --force")
	for name, e := range map[string]export{
		"sealed again": {output: there, key: "agent"},
		"by force":     {output: there, force: true},
		"unsealed":     {output: write(bundle)},
		"another file": {output: write("hello")},
		"no file":      {output: filepath.Join(t.TempDir(), "absent")},
		"the screen":   {output: "-"},
	} {
		require.NoError(t, e.mayReplace(), name)
	}
}

// The command that is named next can be run: it wants keys only where there is
// a signature.
func TestTheCommandThatVerifiesFitsTheDocument(t *testing.T) {
	bundle, _ := sealed(t)
	require.Equal(t, "approver verify 'my file.json' --allowed-signers FILE", verifyCommand(bundle, "my file.json"))
	bundle.Seal.By, bundle.Seal.Sign = "", ""
	require.Equal(t, "approver verify b.json", verifyCommand(bundle, "b.json"))
	bundle.Content.Judgements = []evidence.Judgement{{Words: []evidence.Word{{
		Verdict: approvals.Verdict{Code: approvals.Accepted, Approver: "bo.lin", Proven: approvals.Proven{Proof: approvals.BySignature}},
	}}}}
	require.Equal(t, "approver verify b.json --allowed-signers FILE", verifyCommand(bundle, "b.json"))
}
