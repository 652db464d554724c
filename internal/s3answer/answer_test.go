package s3answer_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/s3answer"
)

func TestWhatAnAnswerSays(t *testing.T) {
	for _, tt := range []struct {
		status                 int
		code                   string
		missing, refused, busy bool
	}{
		{404, minio.NoSuchKey, true, false, false},
		{404, minio.NoSuchBucket, false, false, false},
		{412, "PreconditionFailed", false, true, false},
		{409, "ConditionalRequestConflict", false, false, true},
		{409, "OperationAborted", false, false, true},
		{409, "BucketAlreadyExists", false, false, false},
		{501, "NotImplemented", false, false, false},
	} {
		err := fmt.Errorf("put: %w", minio.ErrorResponse{StatusCode: tt.status, Code: tt.code})
		_, answered := s3answer.Of(err)
		require.True(t, answered, tt.code)
		require.Equal(t, tt.missing, s3answer.IsMissing(err), tt.code)
		require.Equal(t, tt.refused, s3answer.IsRefused(err), tt.code)
		require.Equal(t, tt.busy, s3answer.IsBusy(err), tt.code)
	}
	for _, err := range []error{nil, errors.New("connection reset"), minio.ErrorResponse{StatusCode: 200, Code: minio.NoSuchKey}} {
		_, answered := s3answer.Of(err)
		require.False(t, answered)
		require.False(t, s3answer.IsMissing(err) || s3answer.IsRefused(err) || s3answer.IsBusy(err))
	}
}
