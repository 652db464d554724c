package model

import (
	"encoding/json"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// paidRequest is all that makes two calls the same one. Another member makes
// every stored reply unknown: then Format changes too.
type paidRequest struct {
	Format       string          `json:"format"`
	Tenant       string          `json:"tenant"`
	RunID        string          `json:"run_id"`
	Execution    string          `json:"execution"` // of the run, when it was started more than once
	Revision     int             `json:"revision"`
	Engine       json.RawMessage `json:"engine"`
	Conversation Conversation    `json:"conversation"`
	Try          int             `json:"try"` // from 0
}

const requestFormat = "holdpoint.model-request/1"

// key is where the reply to a request is stored: 64 hex digits.
func (r paidRequest) key() (string, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return "", permanent("bad_request", "the question to the model cannot be written as JSON")
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return "", permanent("bad_request", "the question to the model is %s", plan.Clip(err.Error(), 500))
	}
	return plan.Sum(canonical).Hex(), nil
}
