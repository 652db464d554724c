package interleave

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
)

// facts are what a history says, read without the product's types.
type facts struct {
	run       string
	requester string
	plans     []planFact
	requests  []*requestFact
	said      []saidFact
	accepted  []acceptedFact
	task      time.Time // when the last workflow task began
}

// planFact is a plan that was made.
type planFact struct {
	event   int64
	hash    string
	actions map[string]actionFact // by id
}

type actionFact struct {
	ID         string `json:"id"`
	Key        string `json:"idempotency_key"`
	Parameters struct {
		Account string `json:"account"`
		Amount  int    `json:"amount"`
	} `json:"parameters"`
	Done *json.RawMessage `json:"done"`
}

// requestFact is one opening of the gate.
type requestFact struct {
	event    int64
	id       string
	hash     string // of the plan that it is about
	house    string // the name of the policy
	made     time.Time
	taken    time.Time // the time of the workflow task that took it: the workflow's own time
	decideBy time.Time
	timer    int64 // the event that started its time to decide; 0 when there is none
	over     int64 // the event with which its time was over; 0 when it was not
}

// saidFact is what somebody sent.
type saidFact struct {
	event int64
	raw   struct {
		Decision  string `json:"decision"`
		Hash      string `json:"plan_hash"`
		Action    string `json:"action_id"`
		Approver  string `json:"approver"`
		Comment   string `json:"comment"`
		Feedback  string `json:"feedback"`
		Signature string `json:"signature"`
	}
}

// acceptedFact is a decision that the product says it has accepted.
type acceptedFact struct {
	event    int64
	recorded time.Time
	Code     string    `json:"code"`
	Decision string    `json:"decision"`
	Hash     string    `json:"plan_hash"`
	Approver string    `json:"approver"`
	Action   string    `json:"action_id"`
	Outcome  string    `json:"outcome"`
	Request  string    `json:"request_id"`
	At       time.Time `json:"at"`
}

// read takes the facts out of a history.
func read(run string, history *historypb.History) (facts, error) {
	f := facts{run: run}
	activities := map[int64]string{} // by the event that scheduled them
	for _, e := range history.GetEvents() {
		if err := f.event(e, activities); err != nil {
			return f, fmt.Errorf("event %d: %w", e.GetEventId(), err)
		}
	}
	return f, nil
}

func (f *facts) event(e *historypb.HistoryEvent, activities map[int64]string) error {
	switch e.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
		var task struct {
			Requester string `json:"requester"`
		}
		defer func() { f.requester = task.Requester }()
		return json.Unmarshal(e.GetWorkflowExecutionStartedEventAttributes().GetInput().GetPayloads()[0].GetData(), &task)
	case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		activities[e.GetEventId()] = e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName()
	case enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		done := e.GetActivityTaskCompletedEventAttributes()
		switch activities[done.GetScheduledEventId()] {
		case "make_plan":
			return f.planned(e, done.GetResult())
		case "request_approval":
			return f.requested(e, done.GetResult())
		}
	case enums.EVENT_TYPE_WORKFLOW_TASK_STARTED:
		f.task = e.GetEventTime().AsTime()
	case enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
		if n := len(f.requests); n > 0 && f.requests[n-1].taken.IsZero() {
			f.requests[n-1].taken = f.task
		}
	case enums.EVENT_TYPE_TIMER_STARTED:
		// The first timer after an opening is its time to decide: these policies
		// remind nobody.
		if n := len(f.requests); n > 0 && f.requests[n-1].timer == 0 {
			f.requests[n-1].timer = e.GetEventId()
		}
	case enums.EVENT_TYPE_TIMER_FIRED:
		for _, r := range f.requests {
			if r.timer == e.GetTimerFiredEventAttributes().GetStartedEventId() {
				r.over = e.GetEventId()
			}
		}
	case enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
		fields := e.GetUpsertWorkflowSearchAttributesEventAttributes().GetSearchAttributes().GetIndexedFields()
		if payload, ok := fields["HoldpointDecideBy"]; ok && len(f.requests) > 0 {
			return converter.GetDefaultDataConverter().FromPayload(payload, &f.requests[len(f.requests)-1].decideBy)
		}
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
		f.heard(e.GetEventId(), e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName(), e.GetWorkflowExecutionSignaledEventAttributes().GetInput())
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:
		input := e.GetWorkflowExecutionUpdateAcceptedEventAttributes().GetAcceptedRequest().GetInput()
		f.heard(e.GetEventId(), input.GetName(), input.GetArgs())
	case enums.EVENT_TYPE_MARKER_RECORDED:
		return f.judged(e)
	}
	return nil
}

// heard keeps what can be read as a decision; what cannot is no decision.
func (f *facts) heard(event int64, name string, input *commonpb.Payloads) {
	if name != "approval" || len(input.GetPayloads()) != 1 {
		return
	}
	s := saidFact{event: event}
	if json.Unmarshal(input.GetPayloads()[0].GetData(), &s.raw) == nil {
		f.said = append(f.said, s)
	}
}

func (f *facts) planned(e *historypb.HistoryEvent, result *commonpb.Payloads) error {
	var made struct {
		Hash string          `json:"plan_hash"`
		Plan json.RawMessage `json:"plan"`
	}
	if err := unmarshal(result, &made); err != nil {
		return err
	}
	var document struct {
		Actions []actionFact `json:"actions"`
	}
	if err := json.Unmarshal(made.Plan, &document); err != nil {
		return err
	}
	if sum := sha256.Sum256(made.Plan); made.Hash != "sha256:"+hex.EncodeToString(sum[:]) {
		return fmt.Errorf("the plan is not the one of its hash %s", made.Hash)
	}
	p := planFact{event: e.GetEventId(), hash: made.Hash, actions: map[string]actionFact{}}
	for _, a := range document.Actions {
		p.actions[a.ID] = a
	}
	f.plans = append(f.plans, p)
	return nil
}

func (f *facts) requested(e *historypb.HistoryEvent, result *commonpb.Payloads) error {
	var made struct {
		ID     string `json:"request_id"`
		Policy struct {
			Version string `json:"version"`
		} `json:"policy"`
	}
	if err := unmarshal(result, &made); err != nil {
		return err
	}
	name, _, _ := strings.Cut(made.Policy.Version, "@")
	f.requests = append(f.requests, &requestFact{
		event: e.GetEventId(), id: made.ID, hash: f.plans[len(f.plans)-1].hash, house: name, made: e.GetEventTime().AsTime(),
	})
	return nil
}

// judged reads the verdicts that a local activity recorded.
func (f *facts) judged(e *historypb.HistoryEvent) error {
	marker := e.GetMarkerRecordedEventAttributes()
	if marker.GetMarkerName() != "LocalActivity" || marker.GetFailure() != nil {
		return nil
	}
	var judged struct {
		Verdicts []acceptedFact `json:"verdicts"`
	}
	if err := unmarshal(marker.GetDetails()["result"], &judged); err != nil {
		return err
	}
	for _, v := range judged.Verdicts {
		if v.Code == "accepted" && v.Outcome == "" {
			v.event, v.recorded = e.GetEventId(), e.GetEventTime().AsTime()
			f.accepted = append(f.accepted, v)
		}
	}
	return nil
}

func unmarshal(payloads *commonpb.Payloads, into any) error {
	if len(payloads.GetPayloads()) != 1 {
		return fmt.Errorf("%d payloads", len(payloads.GetPayloads()))
	}
	return json.Unmarshal(payloads.GetPayloads()[0].GetData(), into)
}
