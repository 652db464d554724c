package blobs

import (
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// What names are bounded by, in bytes. A file's name may have 255, and the
// folder storage adds to it while it writes; a key of S3 may have 1,024.
const (
	maxTenant = 64
	maxPart   = 128
	maxName   = 512
)

func addressKey(tenant string, digest plan.Digest) string {
	hex := digest.Hex()
	return tenant + "/" + hex[:2] + "/" + hex
}

// entryKey is never an address: those go on with two hex digits.
func entryKey(tenant, name string) string { return tenant + "/named/" + name }

// checkTenant refuses names that would lead out of the tenant's own folder, or
// be written differently by some storage.
func checkTenant(name string) error {
	if len(name) > maxTenant || !isPart(name) {
		return fmt.Errorf("tenant %q: %w", name[:min(len(name), 2*maxTenant)], ErrTenant)
	}
	return nil
}

func checkName(name string) error {
	if !isName(name) {
		return fmt.Errorf("entry %q: %w", name[:min(len(name), 2*maxPart)], errName)
	}
	return nil
}

func isName(name string) bool {
	if len(name) > maxName {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > maxPart || !isPart(part) || strings.HasSuffix(part, unfinished) {
			return false
		}
	}
	return true
}

func isPart(part string) bool {
	return part != "" && !strings.Contains(part, "..") && part[0] != '.' && part[len(part)-1] != '.' &&
		strings.IndexFunc(part, foreign) < 0
}

func foreign(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
		return false
	default:
		return true
	}
}
