package blobs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"github.com/minio/minio-go/v7"

	"github.com/holdpoint/holdpoint/internal/s3answer"
	"github.com/holdpoint/holdpoint/internal/s3keys"
)

// failure is an error of a bucket. Its text is made here, because a client's
// holds URLs, and a store's may quote the request; its cause is for errors.Is.
type failure struct {
	text  string
	cause error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

// code is what an error code of S3 looks like. Anything else is not quoted.
var code = regexp.MustCompile(`^[A-Za-z0-9.]{1,60}$`)

// isUnknown reports a store that knows no conditions of writes.
func isUnknown(err error) bool {
	answer, ok := s3answer.Of(err)
	return ok && (answer.StatusCode == http.StatusNotImplemented || answer.Code == "NotImplemented")
}

// failure is what an error of the client means.
func (b *bucket) failure(err error) error {
	if text, ours := b.unanswered(err); ours {
		return &failure{text, err}
	}
	answer, ok := errors.AsType[minio.ErrorResponse](err)
	switch {
	case !ok || answer.StatusCode < http.StatusMultipleChoices:
		return &failure{b.host + " gave no whole answer", err}
	case answer.Code == minio.NoSuchBucket:
		return &failure{fmt.Sprintf("the bucket %s is not at %s", b.name, b.host), err}
	case code.MatchString(answer.Code):
		return &failure{fmt.Sprintf("%s answered %d %s", b.host, answer.StatusCode, answer.Code), err}
	default:
		return &failure{fmt.Sprintf("%s answered %d", b.host, answer.StatusCode), err}
	}
}

// unanswered is what an error says that came before any answer.
func (b *bucket) unanswered(err error) (text string, is bool) {
	switch unread := (s3keys.Unread{}); {
	case errors.As(err, &unread):
		return "the keys of " + b.host + ": " + unread.Error(), true
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return b.host + " has a certificate that is not trusted for this name", true
	case errors.Is(err, context.Canceled):
		return "the request to " + b.host + " was stopped", true
	case errors.Is(err, context.DeadlineExceeded):
		return b.host + " did not answer in time", true
	default:
		return "", false
	}
}
