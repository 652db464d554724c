// Package s3answer tells what an S3-compatible store has said of a request, by the
// status and the error code of its answer
// (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
package s3answer

import (
	"errors"
	"net/http"

	"github.com/minio/minio-go/v7"
)

// Of is the store's own word, when err is one. Its text is not for people: it may
// quote the request.
func Of(err error) (minio.ErrorResponse, bool) {
	answer, ok := errors.AsType[minio.ErrorResponse](err)
	return answer, ok && answer.StatusCode >= http.StatusMultipleChoices
}

// IsMissing reports an object that is not there, in a bucket that is. An answer to a
// HEAD has a status only, and the client then says NoSuchKey.
func IsMissing(err error) bool {
	answer, ok := Of(err)
	return ok && answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket
}

// IsRefused reports a condition that does not hold.
func IsRefused(err error) bool {
	answer, ok := Of(err)
	return ok && answer.StatusCode == http.StatusPreconditionFailed
}

// IsBusy reports a write that met another one of the same object, of which the store
// does not know yet what becomes
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
func IsBusy(err error) bool {
	answer, ok := Of(err)
	return ok && answer.StatusCode == http.StatusConflict && (answer.Code == "ConditionalRequestConflict" || answer.Code == "OperationAborted")
}
