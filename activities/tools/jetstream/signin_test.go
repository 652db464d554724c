package jetstream_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/internal/targets/natsserver"
)

// secret puts a value into a file of its own.
func secret(t *testing.T, value string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte(value), 0o600))
	return path
}

func newPair(t *testing.T, create func() (nkeys.KeyPair, error)) (pair nkeys.KeyPair, public, seed string) {
	t.Helper()
	pair, err := create()
	require.NoError(t, err)
	public, err = pair.PublicKey()
	require.NoError(t, err)
	raw, err := pair.Seed()
	require.NoError(t, err)
	return pair, public, string(raw)
}

func TestSignIn(t *testing.T) {
	_, public, seed := newPair(t, nkeys.CreateUser)
	_, _, otherSeed := newPair(t, nkeys.CreateUser)
	file := func(value string) string { return `"${file:` + secret(t, value) + `}"` }
	tests := []struct {
		name         string
		configure    func(*server.Options)
		admin        nats.Option
		right, wrong string
	}{
		{
			"user and password", users(), nats.UserInfo("admin", "admin-secret"),
			"user: worker\n  password: " + file("worker-secret\n"), "user: worker\n  password: " + file("SECRET-other"),
		},
		{
			"token", func(o *server.Options) { o.Authorization = "right-token" }, nats.Token("right-token"),
			"token: " + file("right-token"), "token: " + file("SECRET-other"),
		},
		{
			"nkey", func(o *server.Options) {
				o.Nkeys = []*server.NkeyUser{{Nkey: public}}
				o.Users = []*server.User{{Username: "admin", Password: "admin-secret"}}
			}, nats.UserInfo("admin", "admin-secret"),
			"nkey_seed: " + file(seed), "nkey_seed: " + file(otherSeed),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := &broker{Server: natsserver.StartWith(t, natsserver.Options{Configure: tt.configure}), t: t}
			b.connect(tt.admin)
			b.stream()
			_, err := kindtest.Apply(t, open(t, declaration(b.URL(), "1h", tt.right)), call(kindtest.KeyOf("k"), ""))
			require.NoError(t, err)
			_, err = kindtest.Apply(t, open(t, declaration(b.URL(), "1h", tt.wrong)), call(kindtest.KeyOf("k"), ""))
			fault := kindtest.RequireFault(t, err, faults.Permanent, "nats_not_authorized")
			require.NotContains(t, fault.Error(), "SECRET")
			require.EqualValues(t, 1, b.stored())
		})
	}
}

func TestSecretThatIsNotThere(t *testing.T) {
	b := newBroker(t)
	_, err := kindtest.Apply(t, open(t, declaration(b.URL(), "1h", `token: "${env:NO_SUCH_TOKEN}"`)), call(kindtest.KeyOf("k"), ""))
	fault := kindtest.RequireFault(t, err, faults.Transient, faults.CodeSecretMissing)
	require.True(t, fault.Waits)
	require.Contains(t, fault.Reason, "the NATS connection: the environment variable NO_SUCH_TOKEN is not set; nothing was sent")
}

// A server of an operator, whose users come with credentials files.
func TestSignInWithCredentials(t *testing.T) {
	operator, operatorKey, _ := newPair(t, nkeys.CreateOperator)
	account, accountKey, _ := newPair(t, nkeys.CreateAccount)
	_, userKey, userSeed := newPair(t, nkeys.CreateUser)
	_, systemKey, _ := newPair(t, nkeys.CreateAccount)

	encode := func(c jwt.Claims, by nkeys.KeyPair) string {
		text, err := c.Encode(by)
		require.NoError(t, err)
		return text
	}
	operatorClaims := jwt.NewOperatorClaims(operatorKey)
	operatorClaims.SystemAccount = systemKey
	accountClaims := jwt.NewAccountClaims(accountKey)
	accountClaims.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1}
	resolver := &server.MemAccResolver{}
	require.NoError(t, resolver.Store(accountKey, encode(accountClaims, operator)))
	require.NoError(t, resolver.Store(systemKey, encode(jwt.NewAccountClaims(systemKey), operator)))
	credentials, err := jwt.FormatUserConfig(encode(jwt.NewUserClaims(userKey), account), []byte(userSeed))
	require.NoError(t, err)
	trusted, err := jwt.DecodeOperatorClaims(encode(operatorClaims, operator))
	require.NoError(t, err)

	b := &broker{t: t, Server: natsserver.StartWith(t, natsserver.Options{Configure: func(o *server.Options) {
		o.TrustedOperators, o.AccountResolver, o.SystemAccount = []*jwt.OperatorClaims{trusted}, resolver, systemKey
	}})}
	b.connect(nats.UserCredentialBytes(credentials))
	b.stream()
	tool := open(t, declaration(b.URL(), "1h", `credentials: "${file:`+secret(t, string(credentials))+`}"`))
	_, err = kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), ""))
	require.NoError(t, err)
	require.EqualValues(t, 1, b.stored())

	_, err = kindtest.Apply(t, open(t, declaration(b.URL(), "1h")), call(kindtest.KeyOf("k"), ""))
	kindtest.RequireFault(t, err, faults.Permanent, "nats_not_authorized")
}

func TestTLS(t *testing.T) {
	ca, serverPair := newAuthority(t)
	b := &broker{t: t, Server: natsserver.StartWith(t, natsserver.Options{Configure: func(o *server.Options) {
		o.TLS, o.TLSTimeout = true, 5
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{serverPair}, MinVersion: tls.VersionTLS12}
	}})}
	b.connect(nats.RootCAs(ca))
	b.stream()

	_, err := kindtest.Apply(t, open(t, declaration(b.URL(), "1h", fmt.Sprintf("tls: {ca: %s}", ca))), call(kindtest.KeyOf("k"), ""))
	require.NoError(t, err)
	require.EqualValues(t, 1, b.stored())

	stranger, _ := newAuthority(t)
	for name, more := range map[string]string{
		"signed by nobody we trust":          fmt.Sprintf("tls: {ca: %s}", stranger),
		"for another name":                   fmt.Sprintf("tls: {ca: %s, server_name: nats.example.com}", ca),
		"nobody trusted, as the server asks": "",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := kindtest.Apply(t, open(t, declaration(b.URL(), "1h", more)), call(kindtest.KeyOf("k"), ""))
			kindtest.RequireFault(t, err, faults.Permanent, "nats_tls")
		})
	}
	t.Run("wanted of a server without", func(t *testing.T) {
		plain := newBroker(t)
		_, err := kindtest.Apply(t, open(t, declaration(plain.URL(), "1h", fmt.Sprintf("tls: {ca: %s}", ca))), call(kindtest.KeyOf("k"), ""))
		fault := kindtest.RequireFault(t, err, faults.Permanent, "nats_tls")
		require.Contains(t, fault.Reason, "the server has no TLS")
	})
	t.Run("a file that is not there", func(t *testing.T) {
		_, err := kindtest.Apply(t, open(t, declaration(b.URL(), "1h", "tls: {ca: /no/such/ca.pem}")), call(kindtest.KeyOf("k"), ""))
		fault := kindtest.RequireFault(t, err, faults.Permanent, "nats_settings")
		require.Equal(t, "the NATS connection cannot be set up: the file of tls.ca cannot be read", fault.Reason)
	})
}

// newAuthority makes a certificate authority, as a file, and a certificate of
// it for 127.0.0.1.
func newAuthority(t *testing.T) (file string, leaf tls.Certificate) {
	t.Helper()
	template := func(serial int64, name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		}
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	ca := template(1, "test authority")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	raw, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600))

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	certificate := template(2, "broker")
	certificate.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	signed, err := x509.CreateCertificate(rand.Reader, certificate, ca, key.Public(), caKey)
	require.NoError(t, err)
	return file, tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}
}
