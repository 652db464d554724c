package workflows

// Halt is why an execution begins no further action. Those in flight are
// waited for.
type Halt struct {
	Failed  string `json:"failed,omitempty"`  // the first failure
	Replan  string `json:"replan,omitempty"`  // the reason for a new plan
	Expired bool   `json:"expired,omitempty"` // the approval's life is over
	// Rejected says who did not let an action go that needed a word of its own.
	Rejected string `json:"rejected,omitempty"`
}

// fail records the first failure.
func (h *Halt) fail(text string) {
	if h.Failed == "" {
		h.Failed = text
	}
}
