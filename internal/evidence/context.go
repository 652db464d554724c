package evidence

import (
	"encoding/json"
	"fmt"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// contextDigest is the digest of what was read, as the collector takes it of a
// manifest: name, format and content of every document, in order, and nothing of
// what was skipped. It is written anew here, with the names of the formats, and
// shares nothing with the collector on purpose: so a mistake in the one is found
// by the other.
func contextDigest(manifest []byte) (plan.Digest, error) {
	type document struct {
		Source    string      `json:"source"`
		Path      string      `json:"path"`
		MediaType string      `json:"media_type"`
		Digest    plan.Digest `json:"digest"`
	}
	var listed struct {
		Format  string `json:"format"`
		Entries []struct {
			document
			Skipped string `json:"skipped"`
		} `json:"entries"`
	}
	if err := json.Unmarshal(manifest, &listed); err != nil {
		return plan.Digest{}, err
	}
	if listed.Format != "holdpoint.manifest/1" {
		return plan.Digest{}, fmt.Errorf("the format is %.40q, not holdpoint.manifest/1", listed.Format)
	}
	read := struct {
		Format    string     `json:"format"`
		Documents []document `json:"documents"`
	}{Format: "holdpoint.context/1", Documents: []document{}}
	for _, e := range listed.Entries {
		if e.Skipped == "" {
			read.Documents = append(read.Documents, e.document)
		}
	}
	return digestOf(read)
}
