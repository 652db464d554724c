package faults

import (
	"fmt"
	"runtime/debug"
)

// Panicked is the fault of a panic that was recovered in a goroutine of its
// own, where [Guard] sees nothing: it is called in the deferred function that
// recovered it. What was recovered, and the stack, are the cause, for the
// worker's log alone.
func Panicked(doing string, recovered any) *Fault {
	return &Fault{
		Class: Unknown, Code: CodePanic, Reason: "panic in " + doing + "; see the worker's log",
		Cause: fmt.Errorf("%v\n%s", recovered, debug.Stack()),
	}
}
