// Package upload stores the files of a folder in the blob store, for a worker
// on another machine. What a task then names is the address of their list, so
// that the worker reads those very bytes, whatever became of the folder since.
package upload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
)

// Format names the layout of a list.
const Format = "holdpoint.upload/1"

// MaxListBytes bounds a list: 100,000 files of some hundred bytes.
const MaxListBytes = 64 << 20

// maxReason bounds what a list says of a file that it leaves out, in bytes.
const maxReason = 200

// List is what was found in a folder, files bytewise by path.
type List struct {
	Format string `json:"format"` // Format
	Files  []File `json:"files"`
}

// File is one file of the folder: stored, or left out.
type File struct {
	// Path is slash-separated, relative to the folder, and in the form of
	// [folder.EscapePath]. That of a folder, which is listed only when it is left
	// out, ends in a slash.
	Path    string      `json:"path"`
	Digest  plan.Digest `json:"digest,omitzero"`   // of the bytes, when stored
	Size    int64       `json:"size"`              // in bytes
	Skipped string      `json:"skipped,omitempty"` // the reason; empty when stored
	Files   int         `json:"files,omitempty"`   // how many files a folder that is left out stands for
}

// Parse reads a list, which anybody may have written. Every path in it stays
// below the folder, and there is none twice.
func Parse(data []byte) (List, error) {
	var l List
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return List{}, fmt.Errorf("upload: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return List{}, errors.New("upload: something follows the list")
	}
	if l.Format != Format {
		return List{}, fmt.Errorf("upload: format %.40q is not %q", l.Format, Format)
	}
	last := ""
	for i, f := range l.Files {
		raw, err := f.check()
		if err != nil {
			return List{}, fmt.Errorf("upload: file %d: %w", i+1, err)
		}
		if raw <= last {
			return List{}, fmt.Errorf("upload: file %d: the paths are not in order, or there is one twice", i+1)
		}
		last = raw
	}
	return l, nil
}

// check returns the file's raw path.
func (f File) check() (string, error) {
	raw, err := folder.RawPath(f.Path)
	if err != nil {
		return "", err
	}
	inside, isFolder := strings.CutSuffix(raw, "/")
	switch {
	case folder.EscapePath(raw) != f.Path:
		return "", fmt.Errorf("path %.80q is not escaped as it should be", f.Path)
	case !fs.ValidPath(strings.ToValidUTF8(inside, "?")) || inside == "." || strings.ContainsRune(raw, 0):
		return "", fmt.Errorf("path %.80q does not name a file below the folder", f.Path)
	case f.Size < 0 || f.Files < 0:
		return "", errors.New("a size below 0")
	case (f.Skipped == "") == f.Digest.IsZero():
		return "", errors.New("either a digest or a reason why it is left out is needed")
	case isFolder && f.Skipped == "":
		return "", fmt.Errorf("path %.80q is a folder, and folders are not stored", f.Path)
	case len(f.Skipped) > maxReason:
		return "", fmt.Errorf("the reason has %d bytes; at most %d are allowed", len(f.Skipped), maxReason)
	}
	return raw, nil
}
