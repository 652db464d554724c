package blobs

import (
	"errors"
	"io"
	"os"
)

// WithoutLinks makes a store in a folder as one on a file system without links.
func WithoutLinks(s *Store) {
	s.objects.(*folder).link = func(from, to string) error {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: errors.ErrUnsupported}
	}
}

// BytesOf are those of an object whose storage says that it has that size.
func BytesOf(content io.Reader, size, limit int64) ([]byte, error) {
	return object{io.NopCloser(content), size}.bytes(limit)
}
