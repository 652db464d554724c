package tools

import "errors"

// ErrDrift says that the target changed after the plan was made. Nothing was
// written. The action needs a new plan and a new approval.
var ErrDrift = errors.New("the target changed after the plan was made")
