package blobs

import (
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

const maxTenant = 64

func key(tenant string, digest plan.Digest) string {
	hex := digest.Hex()
	return tenant + "/" + hex[:2] + "/" + hex
}

// checkTenant refuses names that would lead out of the tenant's own folder, or
// be written differently by some storage.
func checkTenant(name string) error {
	ok := name != "" && len(name) <= maxTenant &&
		!strings.Contains(name, "..") && name[0] != '.' && name[len(name)-1] != '.' &&
		strings.IndexFunc(name, foreign) < 0
	if !ok {
		return fmt.Errorf("tenant %q: %w", name[:min(len(name), 2*maxTenant)], ErrTenant)
	}
	return nil
}

func foreign(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
		return false
	default:
		return true
	}
}
