// Package blobs keeps bytes at the address of their own SHA-256. What is read
// is verified against its address every time, so that nobody, by accident or
// on purpose, can put other bytes in the place of those that a history, an
// approval or a receipt refers to.
//
// Beside them it keeps entries under names that a caller chooses. An entry
// begins with a digest of itself, which is verified in the same way.
//
// Tenants share nothing: a blob of one is not there for another, even when the
// bytes are the same. The layout is one object for each:
//
//	<tenant>/<first two hex digits>/<64 hex digits>
//	<tenant>/named/<name>
//
// The objects lie in a folder, or in a bucket of an S3-compatible store.
package blobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// What can be wrong with a blob or an entry; all other errors are those of the
// storage or of the caller's context.
var (
	// ErrNotFound says that the tenant has no blob at this address, or no entry
	// of this name.
	ErrNotFound = errors.New("no such blob")
	// ErrCorrupt says that the stored bytes are not those that belong there. They
	// are not returned.
	ErrCorrupt = errors.New("the stored bytes do not have the digest that belongs to them")
	// ErrTooLarge says that there is more than the caller takes.
	ErrTooLarge = errors.New("the blob is larger than allowed")
	// ErrTenant says that a tenant's name cannot be part of an address.
	ErrTenant = errors.New("a tenant's name has 1 to 64 letters, digits, '.', '_' or '-', no \"..\" and no '.' at its ends")
	// errName says that an entry cannot have this name.
	errName = errors.New("a name has parts of 1 to 128 letters, digits, '.', '_' or '-' with '/' between them, 512 bytes in all; " +
		"a part has no \"..\", no '.' at its ends, and does not end in \".tmp\"")
)

// Store is a content-addressed store with named entries. It is safe for
// concurrent use by many goroutines and processes.
type Store struct{ objects storage }

// storage is where objects lie. Keys are slash-separated and hold nothing that
// any storage would write differently.
type storage interface {
	// read returns an object of at most limit bytes, and never holds many more,
	// whatever is stored. Errors are ErrNotFound, ErrTooLarge and the storage's.
	read(ctx context.Context, key string, limit int64) ([]byte, error)
	// write makes an object visible whole or not at all, in the place of one that
	// is there. It is durable when write returns.
	write(ctx context.Context, key string, data []byte) error
	// list returns the keys that begin with prefix, in any order.
	list(ctx context.Context, prefix string) ([]string, error)
	close() error
}

// Close ends the store's use.
func (s *Store) Close() error { return s.objects.close() }

// Put stores data for tenant and returns its address. When Put returns without
// an error the blob is durable, and whole. Storing it again changes nothing,
// except that a damaged copy is replaced. Two writers of one address write the
// same bytes, so that no storage is asked to refuse one of them.
func (s *Store) Put(ctx context.Context, tenant string, data []byte) (plan.Digest, error) {
	digest := plan.Sum(data)
	_, err := s.Get(ctx, tenant, digest, int64(len(data)))
	switch {
	case err == nil:
		return digest, nil
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrCorrupt), errors.Is(err, ErrTooLarge):
	default:
		return plan.Digest{}, err
	}
	if err := s.objects.write(ctx, addressKey(tenant, digest), data); err != nil {
		return plan.Digest{}, failed(tenant, digest, err)
	}
	return digest, nil
}

// Get returns the blob of tenant at digest, of at most limit bytes, after
// verifying that the bytes have that digest.
func (s *Store) Get(ctx context.Context, tenant string, digest plan.Digest, limit int64) ([]byte, error) {
	if err := checkTenant(tenant); err != nil {
		return nil, err
	}
	data, err := s.objects.read(ctx, addressKey(tenant, digest), limit)
	if err == nil && plan.Sum(data) != digest {
		err = ErrCorrupt
	}
	if err != nil {
		return nil, failed(tenant, digest, err)
	}
	return data, nil
}

func failed(tenant string, digest plan.Digest, err error) error {
	return fmt.Errorf("blob %s of tenant %s: %w", digest, tenant, err)
}
