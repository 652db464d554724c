package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// The form of a secret, and its size in bytes (Standard Webhooks, "Signature
// scheme").
const (
	secretPrefix = "whsec_"
	leastSecret  = 24
	maxSecret    = 64
)

// keys reads the secret now.
func (w *webhook) keys() ([][]byte, error) {
	text, err := w.Secret.Resolve()
	if err != nil {
		return nil, faults.SecretMissing("the webhook's secret", err)
	}
	if strings.TrimSpace(text) == "" {
		return nil, faults.SecretMissing("the webhook's secret", errors.New("it is empty"))
	}
	keys, err := parseSecrets(text)
	if err != nil {
		return nil, &faults.Fault{Class: faults.Permanent, Code: "bad_secret", Reason: "the webhook's secret " + err.Error() + "; nothing was sent"}
	}
	return keys, nil
}

// parseSecrets reads one secret or several, with blanks between them. All of
// them sign: a receiver that knows one accepts the notice, so that a secret can
// be replaced without a gap.
func parseSecrets(text string) ([][]byte, error) {
	var keys [][]byte
	for written := range strings.FieldsSeq(text) {
		key, err := parseSecret(written)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("is empty")
	}
	return keys, nil
}

// parseSecret reads a secret in the form whsec_ and base64. Its error says
// nothing of what it holds.
func parseSecret(text string) ([]byte, error) {
	encoded, prefixed := strings.CutPrefix(text, secretPrefix)
	if !prefixed {
		return nil, errors.New("must begin with " + secretPrefix)
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case err != nil:
		return nil, errors.New("must be base64 behind " + secretPrefix)
	case len(key) < leastSecret || len(key) > maxSecret:
		return nil, fmt.Errorf("must be %d to %d bytes, in base64", leastSecret, maxSecret)
	}
	return key, nil
}

// sign sets the headers of the Standard Webhooks specification, version 1.0.0:
// the HMAC-SHA256 of "id.timestamp.body", once for each key. The time is that
// of the attempt, so that a receiver can refuse what was recorded long ago.
func sign(header http.Header, keys [][]byte, id string, now time.Time, body []byte) {
	timestamp := fmt.Sprint(now.Unix())
	var signatures []string
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", timestamp)
	header.Set("Webhook-Signature", strings.Join(signatures, " "))
}
