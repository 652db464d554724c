package objectserver

import (
	"io"
	"strings"
	"sync"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// backend counts the writes that the store makes, and lets a write replace the
// user metadata of an object, as S3 does: the store below would add to it.
type backend struct {
	*s3mem.Backend
	versioned bool

	mu     sync.Mutex // held for a whole write
	writes map[metadatum]int
}

// metadatum is one text of user metadata.
type metadatum struct{ name, text string }

// metaPrefix begins the headers of user metadata, as Go writes them.
const metaPrefix = "X-Amz-Meta-"

func newBackend(o Options) (*backend, error) {
	b := &backend{Backend: s3mem.New(), versioned: o.Versioned, writes: map[metadatum]int{}}
	for _, name := range o.Buckets {
		if err := b.CreateBucket(name); err != nil {
			return nil, err
		}
		if !o.Versioned {
			continue
		}
		var enabled gofakes3.VersioningConfiguration
		enabled.SetEnabled(true)
		if err := b.SetVersioningConfiguration(name, enabled); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// PutObject implements gofakes3.Backend.
func (b *backend) PutObject(
	bucket, name string, meta map[string]string, input io.Reader, size int64, conditions *gofakes3.PutConditions,
) (gofakes3.PutObjectResult, error) {
	content, err := gofakes3.ReadAll(input, size) // may be slow, and so comes before the lock
	if err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.forget(bucket, name, meta); err != nil {
		return gofakes3.PutObjectResult{}, err
	}
	result, err := b.Backend.PutObject(bucket, name, meta, strings.NewReader(string(content)), size, conditions)
	if err != nil {
		return result, err
	}
	for header, text := range meta {
		if field, ok := strings.CutPrefix(header, metaPrefix); ok {
			b.writes[metadatum{strings.ToLower(field), text}]++
		}
	}
	return result, nil
}

// HeadObject implements gofakes3.Backend. Without versions no object has one.
func (b *backend) HeadObject(bucket, name string) (*gofakes3.Object, error) {
	object, err := b.Backend.HeadObject(bucket, name)
	if err == nil && !b.versioned {
		object.VersionID = ""
	}
	return object, err
}

// forget empties the user metadata that the object has and the write does not.
func (b *backend) forget(bucket, name string, meta map[string]string) error {
	object, err := b.Backend.HeadObject(bucket, name)
	if gofakes3.HasErrorCode(err, gofakes3.ErrNoSuchKey) {
		return nil
	}
	if err != nil {
		return err
	}
	for header := range object.Metadata {
		if _, given := meta[header]; !given && strings.HasPrefix(header, metaPrefix) {
			meta[header] = ""
		}
	}
	return nil
}

func (b *backend) count(name, text string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.writes[metadatum{name, text}]
}
