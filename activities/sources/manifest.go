package sources

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// ManifestFormat names the layout of a manifest.
const ManifestFormat = "holdpoint.manifest/1"

const contextFormat = "holdpoint.context/1"

// Manifest lists everything a collection found.
type Manifest struct {
	Format  string   `json:"format"` // ManifestFormat
	Entries []Entry  `json:"entries"`
	Origins []Origin `json:"origins,omitempty"` // of the sources that are no folders
	Read    int      `json:"read"`              // files read
	Skipped int      `json:"skipped"`           // files skipped, those in skipped folders too
	Bytes   int64    `json:"bytes"`             // of what was read
}

// Entry is one thing found in a source, in the manifest's order.
type Entry struct {
	Source string `json:"source"` // its name
	// Path is slash-separated and relative to the source, in the form of
	// [folder.EscapePath]. A skipped folder's path ends in a slash.
	Path      string      `json:"path"`
	MediaType string      `json:"media_type,omitempty"` // when read
	Digest    plan.Digest `json:"digest,omitzero"`      // of the bytes, when read
	Size      int64       `json:"size"`                 // in bytes; 0 for a folder
	Skipped   string      `json:"skipped,omitempty"`    // the reason; empty when read
	// Files is how many files a skipped folder's entry stands for, at any
	// depth. It is 0 when the folder could not be looked into.
	Files int `json:"files,omitempty"`

	// How the text was got, as text.Decoded says it. Manifests from before texts
	// were stored have neither Encoding nor Text.
	Encoding  string `json:"encoding,omitempty"`
	Guessed   bool   `json:"guessed,omitempty"`
	Replaced  int    `json:"replaced,omitempty"`
	NULs      int    `json:"nuls,omitempty"`
	Hidden    int    `json:"hidden,omitempty"`
	Invisible int    `json:"invisible,omitempty"`
	// Text is the address of the text, and TextSize its bytes, when it is not
	// the very bytes at Digest.
	Text     plan.Digest `json:"text,omitzero"`
	TextSize int64       `json:"text_size,omitempty"`

	// What a web server said of the page's version (RFC 9110, 8.8), when read.
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
}

// Origin says where a source's documents come from. It holds no credentials
// and no query of a URL.
type Origin struct {
	Source string      `json:"source"` // its name
	Kind   string      `json:"kind"`
	URL    string      `json:"url,omitempty"`
	Ref    string      `json:"ref,omitempty"`    // of a Git repository, as configured
	Commit string      `json:"commit,omitempty"` // its id
	Upload plan.Digest `json:"upload,omitzero"`  // the address of an upload's list
}

// Canonical returns the manifest as canonical JSON (RFC 8785), the form in
// which it is stored. Its entries are made so one by one: as a whole, a
// manifest of 100,000 entries would take many times its size.
func (m Manifest) Canonical() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"bytes":%d,"entries":[`, m.Bytes)
	for i, e := range m.Entries {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeCanonical(&b, e); err != nil {
			return nil, err
		}
	}
	rest := m
	rest.Entries = nil
	tail, err := canonical(rest)
	if err != nil {
		return nil, err
	}
	// Members stand in the order of their names: those after "entries" follow.
	_, tail, _ = bytes.Cut(tail, []byte(`"entries":null`))
	b.WriteByte(']')
	b.Write(tail)
	return b.Bytes(), nil
}

// ParseManifest reads what [Manifest.Canonical] wrote.
func ParseManifest(data []byte) (Manifest, error) {
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return Manifest{}, fmt.Errorf("manifest: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Manifest{}, errors.New("manifest: something follows it")
	}
	if m.Format != ManifestFormat {
		return Manifest{}, fmt.Errorf("manifest: format %q is not %q", m.Format, ManifestFormat)
	}
	return m, nil
}

// ContextDigest is the digest of what was read: name, format and content of
// every document, in order. What was skipped is left out of it, because it
// cannot reach the plan, and because a link or a hidden folder may differ
// between two copies of the same notes that should get the same plan.
func (m Manifest) ContextDigest() (plan.Digest, error) {
	type document struct {
		Source    string      `json:"source"`
		Path      string      `json:"path"`
		MediaType string      `json:"media_type"`
		Digest    plan.Digest `json:"digest"`
	}
	var b bytes.Buffer
	b.WriteString(`{"documents":[`)
	first := true
	for _, e := range m.Entries {
		if e.Skipped != "" {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if err := writeCanonical(&b, document{e.Source, e.Path, e.MediaType, e.Digest}); err != nil {
			return plan.Digest{}, err
		}
	}
	fmt.Fprintf(&b, `],"format":%q}`, contextFormat)
	return plan.Sum(b.Bytes()), nil
}

// add lists e and counts it.
func (m *Manifest) add(e Entry) {
	m.Entries = append(m.Entries, e)
	switch {
	case e.Skipped == "":
		m.Read++
		m.Bytes += e.Size
	case isFolder(e.Path):
		m.Skipped += e.Files
	default:
		m.Skipped++
	}
}

func isFolder(path string) bool { return path[len(path)-1] == '/' }

func writeCanonical(b *bytes.Buffer, v any) error {
	c, err := canonical(v)
	b.Write(c)
	return err
}

func canonical(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return plan.Canonicalize(b)
}
