package blobs

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// PutNamed keeps data under a name of the tenant's, such as
// "spend/2026-11/7.json", in the place of what was there. When it returns
// without an error the entry is durable; a reader finds the old one or the new
// one, whole. Of writers at the same time one is the last.
//
// Names that differ by case alone are one where the file system says so, and a
// folder storage refuses a name that is the beginning of another one's path.
func (s *Store) PutNamed(ctx context.Context, tenant, name string, data []byte) error {
	if err := checkEntry(tenant, name); err != nil {
		return err
	}
	if err := s.objects.write(ctx, entryKey(tenant, name), headed(tenant, name, data)); err != nil {
		return failedEntry(tenant, name, err)
	}
	return nil
}

// AddNamed keeps data under a name as PutNamed does, where the tenant has no entry
// of it. Else it changes nothing, whole or damaged as that entry is, and its error is
// ErrExists. Of writers at the same time one is the first, and the others are told
// so; what storages can say of that stands in docs/blobs.md.
func (s *Store) AddNamed(ctx context.Context, tenant, name string, data []byte) error {
	if err := checkEntry(tenant, name); err != nil {
		return err
	}
	if err := s.objects.add(ctx, entryKey(tenant, name), headed(tenant, name, data)); err != nil {
		return failedEntry(tenant, name, err)
	}
	return nil
}

// GetNamed returns what PutNamed or AddNamed kept, of at most limit bytes, after verifying
// it. Errors are ErrNotFound, ErrTooLarge and ErrCorrupt, which is also that of
// an entry that was written under another name or for another tenant.
func (s *Store) GetNamed(ctx context.Context, tenant, name string, limit int64) ([]byte, error) {
	if err := checkEntry(tenant, name); err != nil {
		return nil, err
	}
	raw, err := s.read(ctx, entryKey(tenant, name), min(limit, math.MaxInt64-headingBytes)+headingBytes)
	if err != nil {
		return nil, failedEntry(tenant, name, err)
	}
	data := raw[min(headingBytes, int64(len(raw))):]
	if !bytes.HasPrefix(raw, []byte(heading(tenant, name, data))) {
		return nil, failedEntry(tenant, name, ErrCorrupt)
	}
	return data, nil
}

// ListNamed returns the names of the tenant's entries that begin with prefix,
// sorted; all of them for the empty one. An entry whose PutNamed has returned
// is listed; S3 promises that too
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel).
func (s *Store) ListNamed(ctx context.Context, tenant, prefix string) ([]string, error) {
	// What can go on to be a name is the beginning of one.
	if err := checkEntry(tenant, prefix+"x"); err != nil {
		return nil, err
	}
	keys, err := s.objects.list(ctx, entryKey(tenant, prefix))
	if err != nil {
		return nil, failedEntry(tenant, prefix+"…", err)
	}
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		// What other programs have left there has no such name.
		if name := strings.TrimPrefix(key, entryKey(tenant, "")); isName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func checkEntry(tenant, name string) error {
	if err := checkTenant(tenant); err != nil {
		return err
	}
	return checkName(name)
}

// headingBytes is the length of every heading.
const headingBytes = int64(len("holdpoint.entry/1 sha256:\n") + 64)

// headed is an entry as it is stored.
func headed(tenant, name string, data []byte) []byte {
	return append([]byte(heading(tenant, name, data)), data...)
}

// heading is the line before an entry's data. Its digest is of the place too,
// so that an entry that was moved or copied is not taken for the one there.
// Neither part of the place has a line end in it.
func heading(tenant, name string, data []byte) string {
	digest := plan.Sum(slices.Concat([]byte(tenant), []byte("\n"), []byte(name), []byte("\n"), data))
	return "holdpoint.entry/1 " + digest.String() + "\n"
}

func failedEntry(tenant, name string, err error) error {
	return fmt.Errorf("entry %s of tenant %s: %w", name, tenant, err)
}
