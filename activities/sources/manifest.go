package sources

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// ManifestFormat names the layout of a manifest.
const ManifestFormat = "holdpoint.manifest/1"

const contextFormat = "holdpoint.context/1"

// Canonical returns the manifest as canonical JSON (RFC 8785), the form in
// which it is stored.
func (m Manifest) Canonical() ([]byte, error) { return canonical(m) }

// ParseManifest reads what [Manifest.Canonical] wrote.
func ParseManifest(data []byte) (Manifest, error) {
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return Manifest{}, fmt.Errorf("manifest: %w", err)
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
	read := struct {
		Format    string     `json:"format"`
		Documents []document `json:"documents"`
	}{Format: contextFormat, Documents: []document{}}
	for _, e := range m.Entries {
		if e.Skipped == "" {
			read.Documents = append(read.Documents, document{e.Source, e.Path, e.MediaType, e.Digest})
		}
	}
	b, err := canonical(read)
	if err != nil {
		return plan.Digest{}, err
	}
	return plan.Sum(b), nil
}

// add lists e and counts it.
func (m *Manifest) add(e Entry) {
	m.Entries = append(m.Entries, e)
	switch {
	case e.Skipped == "":
		m.Read++
		m.Bytes += e.Size
	case isFolder(e):
		m.Skipped += e.Files
	default:
		m.Skipped++
	}
}

func isFolder(e Entry) bool { return e.Path[len(e.Path)-1] == '/' }

func canonical(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return plan.Canonicalize(b)
}
