package faults

import "runtime/debug"

// Guard calls f, and turns a panic in it into a fault of code CodePanic. Its
// class is Unknown, because nobody knows how far f had come; it is not tried
// again, because the same code would panic again. What was recovered may hold
// anything, so it and the stack go to log alone and never into the error. The
// worker and its other runs go on.
func Guard(step string, log func(recovered any, stack []byte), f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			log(r, debug.Stack())
			err = &Fault{
				Class:  Unknown,
				Code:   CodePanic,
				Reason: "panic in " + step + "; see the worker's log",
			}
		}
	}()
	return f()
}
