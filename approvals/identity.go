package approvals

import (
	"errors"
	"fmt"
	"strings"
)

// maxIdentityBytes is the longest address that mail allows (RFC 5321, erratum
// 1690).
const maxIdentityBytes = 254

// identityLetters are those that handles and mail addresses are made of. Blanks
// and the wildcards of an allowed_signers file (* ? ! ,) are not among them.
const identityLetters = "abcdefghijklmnopqrstuvwxyz0123456789._+-@:/"

// NormalizeIdentity returns the one form in which a person is compared: a
// handle or mail address such as "mei.chen@example.com", in lower case. It
// refuses, rather than mends, everything that looks like a name and is another:
// blanks around or within it, letters beyond ASCII (a Cyrillic "а" looks like
// "a"), control characters, the empty text, more than 254 bytes.
func NormalizeIdentity(s string) (string, error) {
	switch {
	case s == "":
		return "", errors.New("the name is empty")
	case len(s) > maxIdentityBytes:
		return "", fmt.Errorf("the name has %d bytes; at most %d are allowed", len(s), maxIdentityBytes)
	case strings.TrimSpace(s) != s:
		return "", fmt.Errorf("the name %+q begins or ends with a blank", s)
	}
	for _, r := range s {
		if r > 0x7E {
			return "", fmt.Errorf("the name %+q has a letter beyond ASCII, %U, which may look like another", s, r)
		}
		if !strings.ContainsRune(identityLetters, r) && (r < 'A' || r > 'Z') {
			return "", fmt.Errorf("the name %+q has the character %+q; letters, digits and . _ + - @ : / are allowed", s, r)
		}
	}
	if strings.ContainsAny(s[:1], "._+-@:/") {
		return "", fmt.Errorf("the name %+q does not begin with a letter or digit", s)
	}
	return strings.ToLower(s), nil
}
