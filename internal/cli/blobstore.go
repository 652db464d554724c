package cli

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/config"
)

// BlobStore finds the blob store that the workers use, for a program that is
// none of them.
type BlobStore struct{ file, data string }

// Register adds the flags.
func (b *BlobStore) Register(flags *pflag.FlagSet) {
	flags.StringVar(&b.file, "config", "", "the worker's configuration `FILE`, for its blob store (default: "+config.DefaultFile+" where it exists)")
	flags.StringVar(&b.data, "data", "", "the worker's data `FOLDER`, whatever the configuration says (default: .holdpoint)")
}

// Found is where the blob store is.
type Found struct {
	Store  blobs.Config
	Limits config.Limits // of the workers, as far as is known here
	// Name is for people: a folder, or an address without its parameters.
	Name string
	// Absent says that it is a folder that is not there.
	Absent bool
	// Configured says that a configuration names the place. Without one it is a
	// guess, or was typed.
	Configured bool
}

// Find reads the configuration as a worker does, but for what only a worker
// needs: a requester's may hold nothing but "blobs:".
func (b *BlobStore) Find() (Found, error) {
	c, file := config.Default(), b.file
	if file == "" {
		if _, err := os.Stat(config.DefaultFile); err == nil {
			file = config.DefaultFile
		}
	}
	if file != "" {
		var err error
		if c, err = config.Load(file); err != nil {
			return Found{}, err
		}
	}
	if b.data != "" {
		c.Data, c.Blobs = b.data, blobs.Config{}
	}
	var err error
	if c.Data, err = filepath.Abs(c.Data); err != nil {
		return Found{}, err
	}
	found := Found{Store: c.BlobStore(), Limits: c.Limits, Configured: file != "" && b.data == ""}
	if !c.Blobs.IsZero() {
		found.Name = withoutParameters(c.Blobs.URL)
		return found, nil
	}
	found.Name = filepath.Join(c.Data, "blobs")
	_, err = os.Stat(found.Name)
	found.Absent = errors.Is(err, fs.ErrNotExist)
	return found, nil
}

// withoutParameters is an address without the parts that may be secret.
func withoutParameters(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the configured store"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
