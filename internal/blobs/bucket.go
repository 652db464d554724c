package blobs

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/holdpoint/holdpoint/internal/s3answer"
	"github.com/holdpoint/holdpoint/internal/s3keys"
	"github.com/holdpoint/holdpoint/internal/trust"
)

// bucket is a storage in a bucket of an S3-compatible store. The client is
// minio-go, which the tools use too: the SDK of Amazon would be a second client
// of the same protocol, and a larger one.
type bucket struct {
	core      minio.Core
	host      string // of the endpoint, for people
	name      string
	prefix    string // empty, or ends in a slash
	transport *http.Transport
}

var _ storage = (*bucket)(nil)

// maxTries bounds how often the client sends one request. A write that arrives
// twice writes the same bytes.
const maxTries = 3

func openBucket(c Config, at location) (*bucket, error) {
	b := &bucket{host: at.endpoint.Host, name: at.bucket}
	if at.prefix != "" {
		b.prefix = at.prefix + "/"
	}
	var err error
	if b.transport, err = newTransport(c.CAFile); err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupAuto
	if at.pathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(at.endpoint.Host, &minio.Options{
		Creds: credentials.New(s3keys.Keys{Access: c.AccessKey, Secret: c.SecretKey, Session: c.SessionToken}), Secure: at.endpoint.Scheme == "https",
		Region: at.region, BucketLookup: lookup, Transport: b.transport, MaxRetries: maxTries,
	})
	if err != nil {
		return nil, errors.New("the endpoint cannot be used")
	}
	b.core = minio.Core{Client: client}
	return b, nil
}

func newTransport(caFile string) (*http.Transport, error) {
	pool, err := trust.Pool(caFile)
	if err != nil {
		return nil, fmt.Errorf("the ca_file %w", err)
	}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: time.Minute,
		IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 16, DisableCompression: true, ForceAttemptHTTP2: true,
	}, nil
}

func (b *bucket) close() error {
	b.transport.CloseIdleConnections()
	return nil
}

// open implements storage. The answer to a HEAD would not tell a bucket that is
// missing from an object that is. What stands between may have taken the size away.
func (b *bucket) open(ctx context.Context, key string) (object, error) {
	body, info, _, err := b.core.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if s3answer.IsMissing(err) {
		return object{}, ErrNotFound
	}
	if err != nil {
		return object{}, b.failure(err)
	}
	return object{answerBody{body, b}, info.Size}, nil
}

// answerBody is the body of an answer, whose errors are failures.
type answerBody struct {
	io.ReadCloser

	from *bucket
}

// Read implements io.Reader.
func (a answerBody) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // readers return it as it is
		err = a.from.failure(err)
	}
	return n, err
}

// write implements storage. One request writes an object, so that it is there
// whole or not at all, and the store compares its MD5, which is signed. The
// client's other way over http, a signature for each chunk, has no empty objects.
func (b *bucket) write(ctx context.Context, key string, data []byte) error {
	if err := b.put(ctx, key, data, minio.PutObjectOptions{}); err != nil {
		return b.failure(err)
	}
	return nil
}

func (b *bucket) put(ctx context.Context, key string, data []byte, options minio.PutObjectOptions) error {
	options.ContentType = "application/octet-stream"
	options.SendContentMd5, options.DisableContentSha256, options.DisableMultipart = true, true, true
	_, err := b.core.Client.PutObject(ctx, b.name, b.prefix+key, bytes.NewReader(data), int64(len(data)), options)
	return err
}

// add implements storage, by a conditional write. A store that does not know the
// condition says so, or makes the write all the same: so it is looked first, and with
// such a store two that look at the same moment both write.
//
// Where the answer to a write is lost, the client sends it again, and is told that the
// object exists, though it is its own.
func (b *bucket) add(ctx context.Context, key string, data []byte) error {
	for try := 1; ; try++ {
		there, err := b.there(ctx, key)
		switch {
		case err != nil:
			return err
		case there:
			return ErrExists
		}
		var free minio.PutObjectOptions
		free.SetMatchETagExcept("*") // If-None-Match: *, RFC 9110, section 13.1.2
		err = b.put(ctx, key, data, free)
		switch {
		case err == nil:
			return nil
		case s3answer.IsRefused(err):
			return ErrExists
		case isUnknown(err):
			return b.write(ctx, key, data)
		case !s3answer.IsBusy(err) || try == maxTries:
			return b.failure(err)
		}
		if err := pause(ctx, time.Duration(try)*busyPause); err != nil {
			return b.failure(err)
		}
	}
}

// busyPause is the wait for another write of the same object, times the number of the
// try.
const busyPause = 100 * time.Millisecond

// pause waits, or ends with the context and returns its error.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *bucket) there(ctx context.Context, key string) (bool, error) {
	o, err := b.open(ctx, key)
	switch {
	case errors.Is(err, ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	default:
		return true, o.Close()
	}
}

// list implements storage.
func (b *bucket) list(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	for object := range b.core.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}) {
		if object.Err != nil {
			return nil, b.failure(object.Err)
		}
		keys = append(keys, object.Key[len(b.prefix):])
	}
	if err := ctx.Err(); err != nil {
		return nil, b.failure(err) // the client ends the list then as if that were all
	}
	return keys, nil
}
