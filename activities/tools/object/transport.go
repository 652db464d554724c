package object

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/holdpoint/holdpoint/internal/s3keys"
)

// newTransport is HTTP/1.1 without proxies: HTTP/2 makes some requests again by
// itself, and a proxy may.
func newTransport(s *settings, at place) (*http.Transport, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CAFile != "" {
		path := s.CAFile
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(at.File), path)
		}
		pem, err := os.ReadFile(path)
		if err != nil {
			return nil, at.fail("ca_file", "cannot be read")
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, at.fail("ca_file", "holds no certificate in PEM form")
		}
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext: (&net.Dialer{}).DialContext, TLSClientConfig: config, Protocols: protocols,
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
