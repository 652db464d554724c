package s3keys_test

import (
	"errors"
	"os"
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/s3keys"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

func text(t *testing.T, source string) secrets.Text {
	t.Helper()
	parsed, err := secrets.Parse(source)
	require.NoError(t, err)
	return parsed
}

func TestKeysAreReadAnew(t *testing.T) {
	t.Setenv("S3KEYS_SECRET", "first")
	keys := credentials.New(s3keys.Keys{Access: text(t, "access"), Secret: text(t, "${env:S3KEYS_SECRET}")})
	got, err := keys.GetWithContext(nil)
	require.NoError(t, err)
	require.Equal(t, credentials.Value{AccessKeyID: "access", SecretAccessKey: "first", SignerType: credentials.SignatureV4}, got)

	t.Setenv("S3KEYS_SECRET", "second")
	got, err = keys.GetWithContext(nil)
	require.NoError(t, err)
	require.Equal(t, "second", got.SecretAccessKey)

	require.NoError(t, os.Unsetenv("S3KEYS_SECRET"))
	got, err = keys.GetWithContext(nil)
	unread, ok := errors.AsType[s3keys.Unread](err)
	require.True(t, ok, "%T", err)
	require.ErrorContains(t, unread, "S3KEYS_SECRET")
	require.Zero(t, got, "half the keys are none")
}

func TestSessionTokenGoesWithTheKeys(t *testing.T) {
	got, err := s3keys.Keys{Access: text(t, "a"), Secret: text(t, "b"), Session: text(t, "c")}.Retrieve()
	require.NoError(t, err)
	require.Equal(t, "c", got.SessionToken)
}
