package wire

import (
	"crypto/tls"

	"github.com/holdpoint/holdpoint/internal/trust"
)

// Trust is the TLS configuration for hosts that the authorities in a PEM file
// vouch for; without a file the system's do. An error says what is wrong with
// the file.
func Trust(caFile string) (*tls.Config, error) {
	pool, err := trust.Pool(caFile)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}, nil
}
