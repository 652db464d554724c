// Package trust reads the authorities that vouch for a server's certificate.
package trust

import (
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/holdpoint/holdpoint/internal/regularfile"
)

// Pool is the authorities in a PEM file; without a file it is nil, which in a
// tls.Config stands for the system's. Its error is what follows the name of the
// setting, and holds the path when the file cannot be read: it is for whoever
// starts the worker, and a step leaves the path out.
func Pool(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // as tls.Config.RootCAs has it
	}
	pem, err := regularfile.Read(file)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("holds no certificate in PEM form")
	}
	return pool, nil
}
