package gather

import (
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Digest is the SHA-256 of a history's JSON, as protojson and so
// `temporal workflow show -o json` writes it, in the form of RFC 8785.
func Digest(history *historypb.History) (plan.Digest, error) {
	raw, err := protojson.Marshal(history)
	if err != nil {
		return plan.Digest{}, err
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return plan.Digest{}, err
	}
	return plan.Sum(canonical), nil
}

// First is the history up to so many events.
func First(history *historypb.History, events int) *historypb.History {
	return &historypb.History{Events: history.GetEvents()[:min(events, len(history.GetEvents()))]}
}
