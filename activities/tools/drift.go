package tools

import "errors"

// ErrDrift says that the target changed after the plan was made. Nothing was
// written. The action needs a new plan and a new approval.
var ErrDrift = errors.New("the target changed after the plan was made")

// ErrAbsent says that the target, which is the authority on it, has no effect
// of this key, and that no call of it can still bring one.
var ErrAbsent = errors.New("the target surely has no effect of this key")
