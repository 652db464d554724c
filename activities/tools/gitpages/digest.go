package gitpages

import (
	"strconv"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// TargetDigest implements tools.TargetDigester. A repository's name says to an
// approver where a page goes; that it still leads to the same branch, at the same
// remote or path, is what the digest is of. That is compared as it is written in
// the configuration: another repository that was put at the same address or path
// is not told from the one before. The rest of the configuration is no part of
// it: where a cache lies, and how a remote is signed in to.
func (t *Tool) TargetDigest(target string) plan.Digest {
	r, _, err := t.resolve(target)
	if err != nil {
		return plan.Digest{}
	}
	var preimage []byte
	for _, field := range []string{"holdpoint.repository/1", r.Place, r.Branch} {
		preimage = strconv.AppendQuote(preimage, field)
	}
	return plan.Sum(preimage)
}
