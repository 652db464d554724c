package smtpserver

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// The files of the server's identity.
const (
	authorityFile   = "ca.pem"
	certificateFile = "cert.pem"
	keyFile         = "key.pem"
)

// lifetime is longer than any rehearsal.
const lifetime = 24 * time.Hour

// writeCertificate makes an authority, and by it a certificate for 127.0.0.1.
func writeCertificate(folder string) error {
	now := time.Now()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "rehearsal authority"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "rehearsal mail server"},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if err := signed(folder, authorityFile, authority, authority, authorityKey.Public(), authorityKey); err != nil {
		return err
	}
	if err := signed(folder, certificateFile, server, authority, serverKey.Public(), authorityKey); err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		return err
	}
	return writePEM(folder, keyFile, "PRIVATE KEY", der)
}

func signed(folder, name string, certificate, by *x509.Certificate, key crypto.PublicKey, with crypto.Signer) error {
	der, err := x509.CreateCertificate(rand.Reader, certificate, by, key, with)
	if err != nil {
		return err
	}
	return writePEM(folder, name, "CERTIFICATE", der)
}

func writePEM(folder, name, kind string, der []byte) error {
	return os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
