package httpapi

import (
	"errors"
	"net/http"
	"slices"
)

// checkReads looks at the read requests, and fills in their defaults.
func (c checker) checkReads() error {
	var errs []error
	s := c.settings
	if s.IfMatch != nil {
		errs = append(errs, c.checkRead([]string{"if_match", "read"}, &s.IfMatch.Read))
	}
	if s.ReadBack != nil {
		errs = append(errs, c.checkRead([]string{"read_back"}, &s.ReadBack.Read))
	}
	if s.Lookup != nil {
		errs = append(errs, c.checkLookup())
	}
	if s.Count != nil {
		errs = append(errs, c.checkCount())
	}
	return errors.Join(errs...)
}

func (c checker) checkCount() error {
	if !c.settings.Count.Value.given() {
		return c.fail([]string{"count"}, "count needs value: where in the answer is the number?")
	}
	return c.checkRead([]string{"count"}, &c.settings.Count.Read)
}

func (c checker) checkLookup() error {
	l := c.settings.Lookup
	switch {
	case !l.Found.given() || !l.Receipt.Ref.given():
		return c.fail([]string{"lookup"}, "lookup needs found and receipt.ref")
	case l.Authoritative && !l.Absent.given():
		return c.fail([]string{"lookup"}, "an authoritative lookup needs absent: which answer says that the effect is not there?")
	case !c.isAboutThisAction(l):
		return c.fail([]string{"lookup"}, "lookup asks for nothing of this action's own: write key, item or params into its request or found")
	default:
		return c.checkRead([]string{"lookup"}, &l.Read)
	}
}

// isAboutThisAction reports whether something in the lookup names the action:
// one that does not would take any effect for ours.
func (c checker) isAboutThisAction(l *lookup) bool {
	return slices.ContainsFunc([]string{"key", "item", "params"}, func(variable string) bool {
		return c.mentions([]string{"lookup"}, variable) || names(l.Found.String(), variable)
	})
}

// unfit are statuses of 4xx that say nothing of what is there.
var unfit = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired,
	http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
}

func (c checker) checkRead(path []string, r *read) error {
	if r.Request.Method == "" {
		r.Request.Method = http.MethodGet
	}
	if len(r.Statuses) == 0 {
		r.Statuses = []int{http.StatusOK, http.StatusNotFound}
	}
	for _, status := range r.Statuses {
		if status < 200 || status > 499 || status >= 300 && status < 400 || slices.Contains(unfit, status) {
			return c.fail(append(slices.Clone(path), "statuses"), "statuses: an answer of %d says nothing of what is there", status)
		}
	}
	return c.checkRequest(path, r.Request, []string{http.MethodGet, http.MethodHead, http.MethodPost}, nil)
}
