package blobs

import (
	"crypto/sha256"
	"io"
	"math"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// object is what lies under a key, opened to be read. Errors of reading it are the
// storage's.
type object struct {
	io.ReadCloser

	size int64 // in bytes; -1 where the storage does not say
}

// bytes reads an object of at most limit bytes into memory of its size, and never
// holds many more, whatever is stored. Errors are ErrTooLarge, ErrCorrupt and the
// storage's.
func (o object) bytes(limit int64) ([]byte, error) {
	switch {
	case o.size > limit:
		return nil, ErrTooLarge
	case o.size < 0:
		return o.unsized(limit)
	}
	data := make([]byte, o.size)
	if _, err := io.ReadFull(o, data); err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, ErrCorrupt // somebody makes it shorter: no storage does
	} else if err != nil {
		return nil, err
	}
	return data, nil
}

// unsized reads an object whose size is not known.
func (o object) unsized(limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(o, min(limit, math.MaxInt64-1)+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, ErrTooLarge
	default:
		return data, nil
	}
}

// is reports whether an object has these bytes. It holds a few of them at a time.
func (o object) is(digest plan.Digest, size int64) (bool, error) {
	if o.size >= 0 && o.size != size {
		return false, nil
	}
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(o, size+1))
	if err != nil {
		return false, err
	}
	return n == size && plan.Digest(hash.Sum(nil)) == digest, nil
}
