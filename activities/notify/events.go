package notify

import "github.com/holdpoint/holdpoint/workflows"

// wording is what people are told of an event.
type wording struct {
	event       workflows.Event
	title       string
	explanation string
}

// wordings has every event of the contract, in the order in which a run comes
// upon them.
var wordings = []wording{
	{workflows.ApprovalRequested, "Approval needed",
		"A run has made a plan and waits for a decision on it. Nothing in the plan happens before it is approved."},
	{workflows.ApprovalReminded, "Approval still needed",
		"A run still waits for a decision on its plan. Nothing in the plan happens before it is approved."},
	{workflows.ApprovalExpired, "Approval expired",
		"The time limit for a plan is over. No further action of it begins."},
	{workflows.ConfirmationRequested, "Confirmation needed",
		"A run has come to an action that must be confirmed right before it is sent. The action waits until it is."},
	{workflows.ResolutionNeeded, "Outcome unknown",
		"It is not known whether an action took effect, and it is not sent again on a guess. " +
			"Somebody must look at its target, and say what happened."},
}

// wordingOf is a wording of the event; of one that this program does not know,
// its name.
func wordingOf(event workflows.Event) wording {
	for _, w := range wordings {
		if w.event == event {
			return w
		}
	}
	return wording{event: event, title: string(event), explanation: "A run waits for somebody."}
}

// allEvents are the events of the contract.
func allEvents() []workflows.Event {
	events := make([]workflows.Event, len(wordings))
	for i, w := range wordings {
		events[i] = w.event
	}
	return events
}
