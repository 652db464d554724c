// Package blobs keeps bytes at the address of their own SHA-256. What is read
// is verified against its address every time, so that nobody, by accident or
// on purpose, can put other bytes in the place of those that a history, an
// approval or a receipt refers to.
//
// Tenants share nothing: a blob of one is not there for another, even when the
// bytes are the same. The layout is one object a blob:
//
//	<tenant>/<first two hex digits>/<64 hex digits>
package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"sync"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// What can be wrong with a blob; all other errors are those of the storage or
// of the caller's context.
var (
	// ErrNotFound says that the tenant has no blob at this address.
	ErrNotFound = errors.New("no such blob")
	// ErrCorrupt says that the bytes at the address are not those that belong
	// there. They are not returned.
	ErrCorrupt = errors.New("the stored bytes do not have the digest that is their address")
	// ErrTooLarge says that there is more at the address than the caller takes.
	ErrTooLarge = errors.New("the blob is larger than allowed")
	// ErrTenant says that a tenant's name cannot be part of an address.
	ErrTenant = errors.New("a tenant's name has 1 to 64 letters, digits, '.', '_' or '-', no \"..\" and no '.' at its ends")
)

// Store is a content-addressed store. It is safe for concurrent use by many
// goroutines and processes.
type Store struct {
	bucket  *blob.Bucket
	root    string   // the folder of a file store
	durable sync.Map // folders whose own entry is known to be on the disk
}

// Open opens the store at location, "file:///absolute/path". The folder is
// made when it is missing, for its owner only. Other schemes are refused.
func Open(_ context.Context, location string) (*Store, error) {
	u, err := url.Parse(location)
	switch {
	case err != nil:
		return nil, errors.New("blob store: the address is not a URL")
	case u.Scheme != fileblob.Scheme:
		return nil, fmt.Errorf("blob store: scheme %q is not known; use file:///absolute/path", u.Scheme)
	case u.Host != "" && u.Host != "localhost", !filepath.IsAbs(filepath.FromSlash(u.Path)):
		return nil, errors.New("blob store: use file:///absolute/path, with three slashes")
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, errors.New("blob store: a file:// address takes no parameters; the folder is made when it is missing")
	}
	root := filepath.Clean(filepath.FromSlash(u.Path))
	bucket, err := fileblob.OpenBucket(root, &fileblob.Options{
		CreateDir:   true,
		DirFileMode: 0o700,
		// Beside their final place, so that they can be renamed to it.
		NoTempDir: true,
		// The content is its own metadata.
		Metadata: fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, fmt.Errorf("blob store: %w", err)
	}
	return &Store{bucket: bucket, root: root}, nil
}

// Close ends the store's use.
func (s *Store) Close() error { return s.bucket.Close() }

// Put stores data for tenant and returns its address. When Put returns
// without an error the blob is on the disk, whole. Storing it again changes
// nothing, except that a damaged copy is replaced.
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
	if err := s.write(ctx, key(tenant, digest), data); err != nil {
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
	data, err := s.read(ctx, key(tenant, digest), limit)
	if err == nil && plan.Sum(data) != digest {
		err = ErrCorrupt
	}
	if err != nil {
		return nil, failed(tenant, digest, err)
	}
	return data, nil
}

// read never holds more than limit bytes, whatever is stored.
func (s *Store) read(ctx context.Context, key string, limit int64) ([]byte, error) {
	r, err := s.bucket.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	if r.Size() > limit {
		return nil, errors.Join(ErrTooLarge, r.Close())
	}
	data, err := io.ReadAll(io.LimitReader(r, r.Size()))
	return data, errors.Join(err, r.Close())
}

func failed(tenant string, digest plan.Digest, err error) error {
	return fmt.Errorf("blob %s of tenant %s: %w", digest, tenant, err)
}
