package runs

import (
	"strconv"

	commonpb "go.temporal.io/api/common/v1"

	"github.com/holdpoint/holdpoint/workflows"
)

// telling takes a notice that is on its way. One that the execution before had
// sent already, and had not heard of, has its row.
func (f *fold) telling(id int64, s scheduled, input *commonpb.Payloads) error {
	var n workflows.Notice
	if err := decode(input, &n); err != nil {
		return err
	}
	s.notice = n.Key
	f.running[id] = s
	f.state.AddNotice(workflows.NoticeRow{
		Key: n.Key, Event: n.Event, Channel: n.Channel, At: n.At, Occasion: f.occasion(n), Waiting: n.Waiting, Status: workflows.StepRunning,
	})
	return nil
}

// occasion is what the notice's key is of, beside its event. The notice itself
// does not say it.
func (f *fold) occasion(n workflows.Notice) string {
	possible := []string{workflows.GrantEnded}
	if f.state.Request != nil {
		for i := range f.state.Request.Terms.RemindAfter {
			possible = append(possible, strconv.Itoa(i+1))
		}
	}
	for _, actionID := range n.Waiting {
		possible = append(possible, actionID)
		if i := f.place(actionID); i != noAction && f.state.Actions[i].Doubt != nil {
			possible = append(possible, actionID+"/"+strconv.FormatInt(f.state.Actions[i].Doubt.Token, 10))
		}
	}
	for _, occasion := range possible {
		if n.Key == workflows.NoticeKey(f.task, n.RequestID, n.Channel, n.Event, occasion) {
			return occasion
		}
	}
	return ""
}
