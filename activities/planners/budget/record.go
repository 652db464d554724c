package budget

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// record is one call, as it is stored.
type record struct {
	Format       string    `json:"format"`
	RunID        string    `json:"run_id"`
	Key          string    `json:"key"` // of the request
	Model        string    `json:"model"`
	At           time.Time `json:"at"`
	State        state     `json:"state"`
	InputTokens  int64     `json:"input_tokens"`
	OutputTokens int64     `json:"output_tokens"`
	// Cost is by the price of then; 0 where there was none.
	Cost     Money  `json:"cost_micros"`
	Currency string `json:"currency,omitempty"`
	// Until is when the call is over at the latest, of one that may be under way;
	// none of a call that is known to be over.
	Until time.Time `json:"until,omitzero"`

	name string // under which it is stored
}

// state is how far a call has come.
type state string

const (
	reserved state = "reserved" // the most that the call can use
	settled  state = "settled"  // what the provider reported
)

const (
	recordFormat   = "holdpoint.spend/1"
	maxRecordBytes = 16 << 10 // a run's id and a model's name are short
)

var errRecord = errors.New("not the record of a call")

func parseRecord(raw []byte) (record, error) {
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		return record{}, errRecord
	}
	if r.Format != recordFormat || r.State != reserved && r.State != settled || min(r.InputTokens, r.OutputTokens, int64(r.Cost)) < 0 {
		return record{}, errRecord
	}
	return r, nil
}

// nameOf is a name that no other call has: the same request made twice is two
// calls.
func nameOf(r record) string {
	return runPrefix(r.At, r.RunID) + r.Key + "-" + rand.Text() + ".json"
}

// keyIn is the request's key in the name of a record.
func keyIn(name string) string {
	key, _, _ := strings.Cut(path.Base(name), "-")
	return key
}

// underWay reports a call that is possibly being made at a time: what is reserved
// for it may be given back.
func (r record) underWay(at time.Time) bool { return r.State == reserved && r.Until.After(at) }

// free reports a call that was given back: it surely cost nothing.
func (r record) free() bool { return r.State == settled && r.InputTokens == 0 && r.OutputTokens == 0 }

func monthPrefix(at time.Time) string { return "spend/" + at.UTC().Format("2006-01") + "/" }

func runPrefix(at time.Time, runID string) string {
	return monthPrefix(at) + plan.Sum([]byte(runID)).Hex() + "/"
}

// runMonths is how far back a run's calls are looked for, in months. A run waits
// for its approvals for days, and each month more is a question to the store.
const runMonths = 12

// runPrefixes are where the calls of a run are, up to a time.
func runPrefixes(at time.Time, runID string) []string {
	prefixes := make([]string, runMonths)
	first := time.Date(at.UTC().Year(), at.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	for back := range prefixes {
		prefixes[back] = runPrefix(first.AddDate(0, -back, 0), runID)
	}
	return prefixes
}
