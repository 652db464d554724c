// Package s3keys hands the keys of an S3-compatible store to its client, minio-go,
// by their references: they are read anew for each request, so that one that is
// replaced counts from the next request on.
package s3keys

import (
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/holdpoint/holdpoint/internal/secrets"
)

// Keys are an access key, its secret key and, with temporary keys, their session
// token.
type Keys struct{ Access, Secret, Session secrets.Text }

var _ credentials.Provider = Keys{}

// RetrieveWithCredContext implements credentials.Provider. Its error is an
// Unread.
func (k Keys) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	v := credentials.Value{SignerType: credentials.SignatureV4}
	for _, part := range []struct {
		from secrets.Text
		into *string
	}{{k.Access, &v.AccessKeyID}, {k.Secret, &v.SecretAccessKey}, {k.Session, &v.SessionToken}} {
		text, err := part.from.Resolve()
		if err != nil {
			return credentials.Value{}, Unread{err}
		}
		*part.into = text
	}
	return v, nil
}

// Retrieve implements credentials.Provider.
func (k Keys) Retrieve() (credentials.Value, error) { return k.RetrieveWithCredContext(nil) }

// IsExpired implements credentials.Provider: a secret may have changed.
func (k Keys) IsExpired() bool { return true }

// Unread is a key that could not be read, so that no request was made. Its text
// names the reference and can be shown.
type Unread struct{ error }
