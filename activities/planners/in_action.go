package planners

import "fmt"

// InAction is what a fault of [Request.Check] has as its cause when it is about
// one action: whoever has the proposals as a file can say where in it.
type InAction struct {
	ID     string
	Reason string // the fault's, without the action
	Cause  error
}

func (e *InAction) Error() string { return fmt.Sprintf("action %.64q: %s", e.ID, e.Reason) }
func (e *InAction) Unwrap() error { return e.Cause }
