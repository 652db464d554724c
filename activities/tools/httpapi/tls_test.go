package httpapi_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
)

// authority signs certificates for the tests.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	file string // PEM
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return &authority{key: key, cert: cert, file: file}
}

// server is a TLS configuration with a certificate for an address or a name.
func (a *authority) server(t *testing.T, ends time.Time, ip net.IP, names ...string) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: ends.Add(-2 * time.Hour), NotAfter: ends, DNSNames: names,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip != nil {
		template.IPAddresses = []net.IP{ip}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	require.NoError(t, err)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

var loopback = net.IPv4(127, 0, 0, 1)

func TestC034_OverTLS(t *testing.T) {
	a := newAuthority(t)
	server := serve(t, scripted.Options{KeyHeader: "Idempotency-Key", TLS: a.server(t, time.Now().Add(time.Hour), loopback)})
	s := newScene(t, open(t, server, keyedOrders+"  ca_file: "+a.file+"\n"), "week-48", "A-1")
	_, err := s.attempt()
	require.NoError(t, err)
	require.Equal(t, 1, server.All())
}

func TestC034_CertificatesAndSchemesArePermanent(t *testing.T) {
	a := newAuthority(t)
	later := time.Now().Add(time.Hour)
	tests := []struct {
		name   string
		tls    *tls.Config
		scheme string
		caFile string
		code   string
		why    string
	}{
		{"a certificate for another name", a.server(t, later, nil, "other.example.com"), "https", a.file, "bad_certificate", "another name"},
		{"an expired certificate", a.server(t, time.Now().Add(-time.Hour), loopback), "https", a.file, "bad_certificate", "expired"},
		{"an unknown authority", a.server(t, later, loopback), "https", "", "bad_certificate", "trusts"},
		{"http to a TLS port", a.server(t, later, loopback), "http", a.file, "speaks_tls", "write https"},
		{"https to a plain port", nil, "https", a.file, "no_tls", "does not speak TLS"},
		{
			"a client certificate is wanted", &tls.Config{
				Certificates: a.server(t, later, loopback).Certificates, ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12,
			}, "https", a.file, "tls_refused", "client certificate",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, scripted.Options{TLS: tt.tls})
			declaration := strings.NewReplacer("ADDRESS", server.Address, "URL", tt.scheme+"://"+server.Address).Replace(onceOrders)
			if tt.caFile != "" {
				declaration += "  ca_file: " + tt.caFile + "\n"
			}
			s := newScene(t, open(t, nil, declaration), "week-48", "A-1")
			_, err := s.retried()
			fault := requireFault(t, err, faults.Permanent, tt.code)
			require.Contains(t, fault.Reason, tt.why)
			require.Contains(t, fault.Reason, server.Address)
			require.Equal(t, 1, s.attempts)
			require.Zero(t, server.All())
			require.Equal(t, effects.Released, s.row().State)
		})
	}
}

func TestC034_UnknownHostIsTriedAFewTimes(t *testing.T) {
	const host = "no-such-host.invalid"
	tool := open(t, nil, strings.NewReplacer("ADDRESS", host, "URL", "https://"+host).Replace(onceOrders))
	s := newScene(t, tool, "week-48", "A-1")
	for n := range 3 {
		_, err := s.attempt()
		require.Equal(t, faults.Transient, faults.ClassOf(err))
		require.Contains(t, err.Error(), host)
		require.Contains(t, err.Error(), "nothing was sent")
		require.False(t, last(t, faults.Temporal(err, n+1, time.Second, tool.Spec().Retry)))
		require.True(t, last(t, faults.Temporal(err, n+1, time.Minute, tool.Spec().Retry)), "the budget is a minute")
	}
	require.Equal(t, effects.Released, s.row().State)
}

// Nobody listens yet: nothing was sent, so it is tried again, and has its effect
// once when the server is there.
func TestC034_RefusedConnectionIsTriedAgain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	tool := open(t, nil, strings.NewReplacer("ADDRESS", address, "URL", "http://"+address).Replace(onceOrders))
	s := newScene(t, tool, "week-48", "A-1")
	for range 2 {
		_, err := s.attempt()
		require.Equal(t, faults.Transient, faults.ClassOf(err), "also of a tool that nobody deduplicates")
		require.Contains(t, err.Error(), "nothing was sent")
		require.Equal(t, effects.Released, s.row().State)
	}
	l, err = net.Listen("tcp", address)
	require.NoError(t, err)
	var orders atomic.Int32
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		orders.Add(1)
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"id":"A-1"}`)) // a client that is gone is the test's failure below
	})}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	_, err = s.attempt()
	require.NoError(t, err)
	require.EqualValues(t, 1, orders.Load())
}

func TestC034_OtherSchemesAreRefusedAtStart(t *testing.T) {
	_, err := declare(strings.NewReplacer("ADDRESS", "x", "URL", "ftp://x").Replace(onceOrders))
	require.EqualError(t, err, "holdpoint.yaml:18: url: a url begins with http:// or https://")
}

func TestC034_SlowHostIsTriedAgain(t *testing.T) {
	server := serve(t, scripted.Options{KeyHeader: "Idempotency-Key"})
	server.Script(scripted.Answer{Wait: time.Minute})
	s := newScene(t, open(t, server, impatient), "week-48", "A-1")
	_, err := s.retried()
	require.NoError(t, err)
	require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
}
