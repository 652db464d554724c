package signature

import (
	"encoding/base64"
	"errors"
	"strings"
)

// The lines around a signature (PROTOCOL.sshsig, section 1).
const (
	armorBegin = "-----BEGIN SSH SIGNATURE-----"
	armorEnd   = "-----END SSH SIGNATURE-----"
)

// dearmor returns the bytes within an armored signature. Nothing but blank
// lines may stand around it: encoding/pem would search for a block anywhere,
// and two readers of one text could find two signatures.
func dearmor(armored string) ([]byte, error) {
	body, begins := strings.CutPrefix(strings.TrimSpace(armored), armorBegin)
	if !begins {
		return nil, errors.New("it does not begin with " + armorBegin)
	}
	body, ends := strings.CutSuffix(body, "\n"+armorEnd)
	if !ends {
		return nil, errors.New("it does not end with a line " + armorEnd)
	}
	if !strings.HasPrefix(strings.TrimPrefix(body, "\r"), "\n") {
		return nil, errors.New("its first line goes on after " + armorBegin)
	}
	blob, err := base64.StdEncoding.Strict().DecodeString(body) // passes over CR and LF
	if err != nil {
		return nil, errors.New("what stands between its first and last line is not valid base64")
	}
	return blob, nil
}
