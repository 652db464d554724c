package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
)

// Trust is the TLS configuration for hosts that the authorities in a PEM file
// vouch for; without a file the system's do. An error says what is wrong with
// the file.
func Trust(caFile string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, errors.New("the file holds no certificate in PEM form")
	}
	return config, nil
}
