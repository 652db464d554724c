package object

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/holdpoint/holdpoint/activities/wire"
	"github.com/holdpoint/holdpoint/internal/s3keys"
)

// newTransport is HTTP/1.1 without proxies: HTTP/2 makes some requests again by
// itself, and a proxy may.
func newTransport(s *settings, at place) (*http.Transport, error) {
	path := s.CAFile
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(at.File), path)
	}
	trusted, err := wire.Trust(path)
	if err != nil {
		return nil, at.fail("ca_file", "%s", err)
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext: (&net.Dialer{}).DialContext, TLSClientConfig: trusted, Protocols: protocols,
		DisableCompression: true, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 8,
	}, nil
}

// watch lets the caller ask whether a request has ever had a connection. One
// that had none has sent nothing.
func watch(ctx context.Context) (watched context.Context, connected func() bool) {
	var had atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { had.Store(true) }}
	return httptrace.WithClientTrace(ctx, trace), had.Load
}

func newCredentials(s *settings) *credentials.Credentials {
	if s.AccessKey.IsZero() {
		return credentials.NewStatic("", "", "", credentials.SignatureAnonymous)
	}
	return credentials.New(s3keys.Keys{Access: s.AccessKey, Secret: s.SecretKey, Session: s.SessionToken})
}
