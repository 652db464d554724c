package blobs

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

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

// read implements storage. The answer to a HEAD would not tell a bucket that is
// missing from an object that is.
func (b *bucket) read(ctx context.Context, key string, limit int64) ([]byte, error) {
	body, info, _, err := b.core.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if isMissing(err) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, b.failure(err)
	}
	defer body.Close()
	if info.Size > limit {
		return nil, ErrTooLarge
	}
	// What stands between may have taken the size away.
	data, err := io.ReadAll(io.LimitReader(body, min(limit, math.MaxInt64-1)+1))
	switch {
	case err != nil:
		return nil, b.failure(err)
	case int64(len(data)) > limit:
		return nil, ErrTooLarge
	default:
		return data, nil
	}
}

// write implements storage. One request writes an object, so that it is there
// whole or not at all, and the store compares its MD5, which is signed. The
// client's other way over http, a signature for each chunk, has no empty objects.
func (b *bucket) write(ctx context.Context, key string, data []byte) error {
	_, err := b.core.Client.PutObject(ctx, b.name, b.prefix+key, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{
		ContentType: "application/octet-stream", SendContentMd5: true, DisableContentSha256: true, DisableMultipart: true,
	})
	if err != nil {
		return b.failure(err)
	}
	return nil
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
