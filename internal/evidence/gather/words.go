package gather

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/workflows"
)

// arrived is a decision or resolution as the history has it.
type arrived struct {
	about    evidence.Topic
	place    evidence.Place
	via      string
	payloads []byte // as workflows.Arrival has them
	judged   bool
}

// words lists what people sent.
func (g *gathering) words() error {
	for i, e := range g.chain {
		admitted := map[string]bool{} // updates, by their ids
		for _, event := range e.History.GetEvents() {
			a := arrived{place: evidence.Place{Execution: i, ID: event.GetEventId()}}
			name, payloads := a.sent(event, admitted)
			switch name {
			case workflows.ApprovalName:
				a.about = evidence.AboutPlan
			case workflows.ResolutionName:
				a.about = evidence.AboutEffect
			default:
				continue
			}
			var err error
			if a.payloads, err = workflows.MarshalPayloads(payloads); err != nil {
				return err
			}
			g.arrived = append(g.arrived, a)
		}
	}
	return nil
}

// sent is the name and the input of a signal or of an update. An update stands in
// the history when the workflow accepts it. One that a reset tells again stands
// there first, as admitted, and its acceptance brings nothing new: it has neither
// name nor input. admitted are those of this execution.
func (a *arrived) sent(event *historypb.HistoryEvent, admitted map[string]bool) (name string, payloads *commonpb.Payloads) {
	if s := event.GetWorkflowExecutionSignaledEventAttributes(); s != nil {
		a.via = approvals.ViaSignal
		return s.GetSignalName(), s.GetInput()
	}
	a.via = approvals.ViaUpdate
	if again := event.GetWorkflowExecutionUpdateAdmittedEventAttributes(); again != nil {
		admitted[again.GetRequest().GetMeta().GetUpdateId()] = true
		return again.GetRequest().GetInput().GetName(), again.GetRequest().GetInput().GetArgs()
	}
	accepted := event.GetWorkflowExecutionUpdateAcceptedEventAttributes()
	if admitted[accepted.GetProtocolInstanceId()] {
		return "", nil
	}
	update := accepted.GetAcceptedRequest().GetInput()
	return update.GetName(), update.GetArgs()
}

// place returns where a word that was judged came from: the first of the kind
// that has not been judged before.
func (g *gathering) place(about evidence.Topic, arrival workflows.Arrival) (evidence.Place, error) {
	for i := range g.arrived {
		a := &g.arrived[i]
		if !a.judged && a.about == about && a.via == arrival.Via && bytes.Equal(a.payloads, arrival.Payloads) {
			a.judged = true
			return a.place, nil
		}
	}
	return evidence.Place{}, fmt.Errorf("no event brought what came as %s about the %s and was judged at %s",
		arrival.Via, about, arrival.At.Format(time.RFC3339))
}

// word is a word as it came.
func word(place evidence.Place, payloads []byte, via string) evidence.Word {
	w := evidence.Word{At: place, Via: via}
	raw, unreadable := workflows.Arrival{Payloads: payloads}.JSON()
	w.Unreadable = unreadable
	if utf8.Valid(raw) {
		w.Raw = string(raw)
	} else {
		w.Bytes = raw
	}
	return w
}

// policyDigest is the digest in a version, label@sha256:….
func policyDigest(version string) (plan.Digest, error) {
	label, digest, _ := strings.Cut(version, "@")
	parsed, err := plan.ParseDigest(digest)
	if err != nil {
		return parsed, fmt.Errorf("policy %s: its version names no digest: %w", label, err)
	}
	return parsed, nil
}
