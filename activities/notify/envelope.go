package notify

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// event is a notice as CloudEvents 1.0 has it in JSON, section 3 of its JSON
// format.
type event struct {
	SpecVersion     string    `json:"specversion"`
	ID              string    `json:"id"`
	Source          string    `json:"source"`
	Type            string    `json:"type"`
	Subject         string    `json:"subject"`
	Time            time.Time `json:"time"`
	DataContentType string    `json:"datacontenttype"`
	Data            eventData `json:"data"`
}

// eventData is what a receiver learns: the notice but for what the event itself
// says. Its names are a promise to receivers, so it is no workflows.Notice.
type eventData struct {
	RunID      string      `json:"run_id"`
	Tenant     string      `json:"tenant"`
	BusinessID string      `json:"business_id"`
	Requester  string      `json:"requester"`
	RequestID  string      `json:"request_id"`
	PlanHash   plan.Digest `json:"plan_hash"`
	Risk       plan.Risk   `json:"risk"`
	Actions    int         `json:"actions"`
	People     []string    `json:"people,omitempty"`
	Needs      string      `json:"needs,omitempty"`
	Waiting    []string    `json:"waiting,omitempty"`
	Until      *time.Time  `json:"until,omitempty"`
	Command    string      `json:"command"`
}

const eventTypePrefix = "holdpoint."

// envelope writes a notice as a CloudEvent. The same notice makes the same
// bytes.
//
// The source is the tenant's part of Holdpoint, as a URI-reference: what is
// unique is source and id together, whoever routes by tenant can do so without
// reading data, and the program knows no address of its own that it could give
// instead. Attributes hold no control characters (CloudEvents 1.0, "Type
// System"); data has its texts as they are, as JSON can carry them.
func envelope(n workflows.Notice) ([]byte, error) {
	e := event{
		SpecVersion: "1.0", ID: n.Key, Type: eventTypePrefix + string(n.Event),
		Source: "/holdpoint/" + url.PathEscape(n.Tenant), Subject: plan.Escape(n.RunID),
		Time: n.At.UTC(), DataContentType: "application/json",
		Data: eventData{
			RunID: n.RunID, Tenant: n.Tenant, BusinessID: n.BusinessID, Requester: n.Requester, RequestID: n.RequestID,
			PlanHash: n.PlanHash, Risk: n.Risk, Actions: n.Actions, People: n.People, Needs: n.Needs,
			Waiting: n.Waiting, Command: n.Command,
		},
	}
	if n.Until != nil {
		until := n.Until.UTC()
		e.Data.Until = &until
	}
	return json.Marshal(e)
}
