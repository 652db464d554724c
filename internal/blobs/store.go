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
	// ErrExists says that the tenant has an entry of this name already.
	ErrExists = errors.New("there is an entry of this name already")
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
	// open opens an object, which the caller closes. Errors are ErrNotFound and the
	// storage's.
	open(ctx context.Context, key string) (object, error)
	// write makes an object visible whole or not at all, in the place of one that
	// is there. It is durable when write returns.
	write(ctx context.Context, key string, data []byte) error
	// add is write where no object is there; else it changes nothing, and its error
	// is ErrExists. Of adders at the same time one succeeds.
	add(ctx context.Context, key string, data []byte) error
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
	if err := checkTenant(tenant); err != nil {
		return plan.Digest{}, err
	}
	digest := plan.Sum(data)
	there, err := s.has(ctx, addressKey(tenant, digest), digest, int64(len(data)))
	if err == nil && !there {
		err = s.objects.write(ctx, addressKey(tenant, digest), data)
	}
	if err != nil {
		return plan.Digest{}, failed(tenant, digest, err)
	}
	return digest, nil
}

// has reports whether these bytes are there. Whoever asks has them in memory: they
// are not read into it a second time.
func (s *Store) has(ctx context.Context, key string, digest plan.Digest, size int64) (bool, error) {
	o, err := s.objects.open(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer o.Close()
	return o.is(digest, size)
}

// Get returns the blob of tenant at digest, of at most limit bytes, after
// verifying that the bytes have that digest.
func (s *Store) Get(ctx context.Context, tenant string, digest plan.Digest, limit int64) ([]byte, error) {
	if err := checkTenant(tenant); err != nil {
		return nil, err
	}
	data, err := s.read(ctx, addressKey(tenant, digest), limit)
	if err == nil && plan.Sum(data) != digest {
		err = ErrCorrupt
	}
	if err != nil {
		return nil, failed(tenant, digest, err)
	}
	return data, nil
}

// read returns an object of at most limit bytes. Errors are ErrNotFound,
// ErrTooLarge, ErrCorrupt and the storage's.
func (s *Store) read(ctx context.Context, key string, limit int64) ([]byte, error) {
	o, err := s.objects.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	return o.bytes(limit)
}

func failed(tenant string, digest plan.Digest, err error) error {
	return fmt.Errorf("blob %s of tenant %s: %w", digest, tenant, err)
}
