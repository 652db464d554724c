package declared

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// What a declaration that says nothing has.
const (
	defaultCallTimeout = 30 * time.Second
	defaultBase        = 200 * time.Millisecond
	defaultMax         = 10 * time.Second
)

const day = 24 * time.Hour

// bound is a limit of a tool, and whether it is within what is allowed.
type bound struct {
	path   []string // of its field in a declaration
	zero   bool     // its value is
	within bool
	says   string // what it is, and what is allowed
}

func bounded[T ~int64 | ~float64](value, least, most T, path ...string) bound {
	return bound{
		path: path, zero: value == 0,
		within: value >= least && value <= most, // which "no number" is not
		says:   fmt.Sprintf("%s is %v; %v to %v are allowed", path[len(path)-1], value, least, most),
	}
}

// boundsOf are the numbers with which a tool can work, and a worker can live.
func boundsOf(s tools.Spec) []bound {
	return []bound{
		bounded(s.CallTimeout, 100*time.Millisecond, 10*time.Minute, "call_timeout"),
		bounded(s.Settle, 0, day, "settle"),
		bounded(s.Retry.Base, time.Millisecond, time.Hour, "retry", "base"),
		bounded(s.Retry.Max, time.Millisecond, day, "retry", "max"),
		bounded(s.Retry.MaxAfter, time.Millisecond, day, "retry", "max_after"),
		bounded(s.Retry.Budget, time.Second, 30*day, "retry", "budget"),
		bounded(float64(s.MaxAttempts), 1, 1000, "retry", "attempts"),
		bounded(float64(s.Concurrency), 1, 200, "concurrency"),
		bounded(s.Rate, 0, 10_000, "rate"),
	}
}

// CheckLimits holds a tool that is written in Go to the limits of a declared one.
// Where tools.Spec and faults.Retry say what zero stands for, it is allowed: no
// concurrency, budget or longest wait of its own.
func CheckLimits(s tools.Spec) error {
	var errs []error
	for _, b := range boundsOf(s) {
		switch last := b.path[len(b.path)-1]; {
		case b.within, b.zero && slices.Contains([]string{"concurrency", "budget", "max_after"}, last):
		default:
			errs = append(errs, errors.New(b.says))
		}
	}
	if s.Retry.Base > s.Retry.Max {
		errs = append(errs, errors.New(overMax(s.Retry.Base, s.Retry.Max)))
	}
	return errors.Join(errs...)
}

func overMax(base, longest time.Duration) string {
	return fmt.Sprintf("retry.base is %s, and retry.max only %s", base, longest)
}

// checkLimits refuses limits that are not within their bounds. A field that is
// left out has its default and is not checked, and one that could not be read has
// been refused.
func (s source) checkLimits(d *Declaration) error {
	var errs []error
	for _, b := range boundsOf(d.given()) {
		if s.has(b.path, b.zero) && !b.within {
			errs = append(errs, s.failAt(b.path, "%s", b.says))
		}
	}
	if base, longest := cmp.Or(d.Retry.Base, defaultBase), cmp.Or(d.Retry.Max, defaultMax); base > longest {
		errs = append(errs, s.failAt([]string{"retry", "base"}, "%s", overMax(base, longest)))
	}
	return errors.Join(errs...)
}

// given are the limits as they are declared, without defaults.
func (d *Declaration) given() tools.Spec {
	return tools.Spec{
		CallTimeout: d.CallTimeout, Settle: d.Settle, MaxAttempts: d.Retry.Attempts,
		Retry:       faults.Retry{Base: d.Retry.Base, Max: d.Retry.Max, MaxAfter: d.Retry.MaxAfter, Budget: d.Retry.Budget},
		Concurrency: d.Concurrency, Rate: d.Rate,
	}
}

// has reports a field that is there. zero says that its value is: then it may be
// one that could not be read.
func (s source) has(path []string, zero bool) bool {
	node := strictyaml.Field(s.node, path...)
	return node != nil && (!zero || readsAsZero(node))
}

func readsAsZero(node *yaml.Node) bool {
	if period, err := time.ParseDuration(node.Value); err == nil {
		return period == 0
	}
	var number float64
	return node.Decode(&number) == nil && number == 0
}

// checkWindow wants a window in which a first call, and one more after it, can
// arrive: otherwise no call could ever be made again.
func (s source) checkWindow(d *Declaration) error {
	timeout := cmp.Or(d.CallTimeout, defaultCallTimeout)
	switch given := s.has([]string{"key_window"}, false); {
	case d.Class != plan.Keyed && given:
		return s.fail("key_window", "key_window is for class keyed; this tool's is %s", d.Class)
	case d.Class != plan.Keyed:
		return nil
	case !given:
		return s.fail("key_window", "key_window is missing: for how long does the target surely remember a key?")
	case d.KeyWindow <= 2*timeout && s.has([]string{"key_window"}, d.KeyWindow == 0):
		return s.fail("key_window", "key_window is %s; it must be longer than two calls, %s", d.KeyWindow, 2*timeout)
	default:
		return nil
	}
}
