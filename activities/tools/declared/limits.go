package declared

import (
	"cmp"
	"errors"
	"time"

	"go.yaml.in/yaml/v3"

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

// checkLimits refuses numbers with which a tool could not work, or a worker
// could not live. A field that is left out has its default and is not checked,
// and one that could not be read has been refused.
func (s source) checkLimits(d *Declaration) error {
	var errs []error
	for _, f := range []struct {
		path       []string
		value      time.Duration
		least, max time.Duration
	}{
		{[]string{"call_timeout"}, d.CallTimeout, 100 * time.Millisecond, 10 * time.Minute},
		{[]string{"settle"}, d.Settle, 0, day},
		{[]string{"retry", "base"}, d.Retry.Base, time.Millisecond, time.Hour},
		{[]string{"retry", "max"}, d.Retry.Max, time.Millisecond, day},
		{[]string{"retry", "max_after"}, d.Retry.MaxAfter, time.Millisecond, day},
		{[]string{"retry", "budget"}, d.Retry.Budget, time.Second, 30 * day},
	} {
		if s.has(f.path, f.value == 0) && (f.value < f.least || f.value > f.max) {
			errs = append(errs, s.failAt(f.path, "%s is %s; %s to %s are allowed", f.path[len(f.path)-1], f.value, f.least, f.max))
		}
	}
	for _, f := range []struct {
		path       []string
		value      float64
		least, max float64
	}{
		{[]string{"retry", "attempts"}, float64(d.Retry.Attempts), 1, 1000},
		{[]string{"concurrency"}, float64(d.Concurrency), 1, 200},
		{[]string{"rate"}, d.Rate, 0, 10_000},
	} {
		// Written so that "no number" is refused too.
		if s.has(f.path, f.value == 0) && !(f.value >= f.least && f.value <= f.max) {
			errs = append(errs, s.failAt(f.path, "%s is %v; %v to %v are allowed", f.path[len(f.path)-1], f.value, f.least, f.max))
		}
	}
	if base, longest := cmp.Or(d.Retry.Base, defaultBase), cmp.Or(d.Retry.Max, defaultMax); base > longest {
		errs = append(errs, s.failAt([]string{"retry", "base"}, "retry.base is %s, and retry.max only %s", base, longest))
	}
	return errors.Join(errs...)
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
