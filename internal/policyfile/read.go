// Package policyfile reads policies from the disk, for the programs that need
// one: approvals/policy itself does no I/O.
package policyfile

import (
	"fmt"
	"path/filepath"

	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/internal/regularfile"
)

// Read reads a policy file, and the allowed signers that it names, relative to
// its own folder. Errors have the form "file:line: reason".
func Read(path string) (*policy.Policy, error) {
	raw, err := regularfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return policy.Parse(raw, path, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		return regularfile.Read(name)
	})
}
