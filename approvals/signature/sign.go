package signature

import (
	"bytes"
	"fmt"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Sign returns the armored signature of a message in Namespace, with SHA-512,
// as ssh-keygen -Y sign -n holdpoint makes it. The signer is that of a key file
// (ssh.ParsePrivateKey) or of an agent; it may ask its person, and wait. RSA
// keys sign with rsa-sha2-512.
//
// The signature is verified before it is returned, so that a signer that takes
// another algorithm than it was asked for, as old agents do, is found out by
// whoever signs. The error is the signer's, or says why the key's signatures
// would not count.
func Sign(message []byte, signer ssh.Signer) (armored string, err error) {
	// An agent's key is a type of its own, which knows its bytes alone.
	public, err := ssh.ParsePublicKey(signer.PublicKey().Marshal())
	if err != nil {
		return "", fmt.Errorf("the signing key cannot be read: %w", err)
	}
	if err := acceptable(public); err != nil {
		return "", fmt.Errorf("the signing key cannot be used: %w", err)
	}
	made, err := sshsig.Sign(bytes.NewReader(message), signer, sshsig.HashSHA512, Namespace)
	if err != nil {
		return "", fmt.Errorf("the key %s did not sign: %w", ssh.FingerprintSHA256(public), err)
	}
	armored = string(sshsig.Armor(made))
	unbounded := []Key{{Public: canonical(public)}}
	if _, err := Verify(message, armored, unbounded, time.Time{}); err != nil {
		return "", fmt.Errorf("the signer returned a signature that does not verify: %w", err)
	}
	return armored, nil
}
