package scene

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/approvals/policy"
)

// Keys is the name of the allowed signers file that a scene's policy can name:
// it has a key of each of Cast. "keys without cy.ma" is the same without hers.
const Keys = "keys"

// Cast are the people who have keys.
func Cast() []string {
	return []string{"ann.wu", "bo.lin", "cy.ma", "dee.ray", "eve.li", "mei.chen", "tom.baker"}
}

// KeyOf is a person's key, the same in every run of a test.
func KeyOf(name string) (ssh.Signer, error) {
	seed := sha256.Sum256([]byte("the key of " + name))
	return ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed[:]))
}

// ParsePolicy reads a policy file that may name Keys.
func ParsePolicy(text string) (*policy.Policy, error) {
	return policy.Parse([]byte(text), "policy.yaml", func(path string) ([]byte, error) {
		base, without, _ := strings.Cut(path, " without ")
		if base != Keys {
			return nil, fmt.Errorf("there is no file %s", path)
		}
		return allowedSigners(slices.DeleteFunc(Cast(), func(name string) bool { return name == without }))
	})
}

func allowedSigners(names []string) ([]byte, error) {
	var b strings.Builder
	for _, name := range names {
		key, err := KeyOf(name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s %s", name, ssh.MarshalAuthorizedKey(key.PublicKey()))
	}
	return []byte(b.String()), nil
}
