package httpapi

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// checker refuses settings that cannot work or cannot keep their class, with
// file and line, and fills in the defaults of what is left out.
type checker struct {
	declared.Settings

	spec     tools.Spec
	settings *settings
}

// maxLimit bounds what a declaration may allow for a body, in bytes: it is held
// in memory, some times over.
const maxLimit = 64 << 20

func (c checker) check() error {
	return errors.Join(c.checkHosts(), c.checkAnswers(), c.checkWrite(), c.checkFitsClass(), c.checkClass(), c.checkReads())
}

// fail is an error at the setting of that path, or the nearest one around it.
func (c checker) fail(path []string, format string, args ...any) error {
	return strictyaml.Fail(c.File, strictyaml.Nearest(c.Node, path...), "%s", fmt.Sprintf(format, args...))
}

func (c checker) given(name string) bool { return !strictyaml.Absent(strictyaml.Field(c.Node, name)) }

func (c checker) checkHosts() error {
	if len(c.settings.Hosts) == 0 {
		return c.fail([]string{"hosts"}, "hosts is empty: name the hosts that the tool may speak to")
	}
	for _, host := range c.settings.Hosts {
		u, err := url.Parse("https://" + host)
		if err != nil || u.Host != host || u.Hostname() == "" || strings.ContainsAny(host, "*{}$ ") {
			return c.fail([]string{"hosts"}, "hosts: %q is no host or host:port", host)
		}
	}
	return nil
}

// checkAnswers looks at what is told of answers in every class.
func (c checker) checkAnswers() error {
	s := c.settings
	for name, limit := range map[string]int64{"max_request_bytes": s.MaxRequestBytes, "max_response_bytes": s.MaxResponseBytes} {
		if limit < 1 || limit > maxLimit {
			return c.fail([]string{name}, "%s must be from 1 to %d", name, maxLimit)
		}
	}
	if len(s.Success) == 0 {
		return c.fail([]string{"success"}, "success is empty: no answer would say that it is done")
	}
	for _, status := range s.Success {
		if !(status >= 200 && status < 300 || status == http.StatusFound || status == http.StatusSeeOther) {
			return c.fail([]string{"success"}, "success: %d says nowhere that it is done; use 2xx, 302 or 303", status)
		}
	}
	if !s.Receipt.Ref.given() {
		return c.fail([]string{"receipt"}, "receipt.ref is missing: where in the answer is the target's id of the effect?")
	}
	return nil
}

func (c checker) checkWrite() error {
	methods := []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	return c.checkRequest(nil, c.settings.Write, methods, c.ownHeaders())
}

// ownHeaders are those of the write that its class sets.
func (c checker) ownHeaders() []string {
	switch c.spec.Class {
	case plan.Keyed:
		return []string{c.settings.Key.Header}
	case plan.Conditional:
		return []string{"If-Match", "If-None-Match"}
	default:
		return nil
	}
}

// transportHeaders are not a declaration's to set: another setting does, or
// the connection.
var transportHeaders = []string{
	"Connection", "Content-Length", "Content-Type", "Expect", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

func (c checker) checkRequest(path []string, r request, methods, own []string) error {
	at := func(name string) []string { return append(slices.Clone(path), name) }
	if !r.URL.given() {
		return c.fail(path, "%s is missing", strings.Join(at("url"), "."))
	}
	if !allows(c.settings.Hosts, r.URL.base) {
		return c.fail(at("url"), "url: hosts does not list %s", r.URL.base.Host)
	}
	if !slices.Contains(methods, r.Method) {
		return c.fail(at("method"), "method %q: use one of %s", r.Method, strings.Join(methods, ", "))
	}
	if err := r.Auth.check(); err != nil {
		return c.fail(at("auth"), "auth: %s", err)
	}
	if err := c.checkHeaders(at("headers"), r, own); err != nil {
		return err
	}
	return c.checkBody(at, r)
}

func (c checker) checkHeaders(path []string, r request, own []string) error {
	if r.Auth.Header != nil {
		own = append(slices.Clone(own), r.Auth.Header.Name)
	} else if r.Auth.given() {
		own = append(slices.Clone(own), "Authorization")
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		canonical := http.CanonicalHeaderKey(name)
		isSame := func(other string) bool { return http.CanonicalHeaderKey(other) == canonical }
		switch {
		case !isToken(name):
			return c.fail(append(path, name), "headers: %q is no name of a header", name)
		case seen[canonical]:
			return c.fail(append(path, name), "headers: %s stands there twice", name)
		case slices.ContainsFunc(transportHeaders, isSame):
			return c.fail(append(path, name), "headers: %s is not set here; a content type has its own setting", name)
		case slices.ContainsFunc(own, isSame):
			return c.fail(append(path, name), "headers: %s is set by auth or by the tool's class", name)
		}
		seen[canonical] = true
	}
	return nil
}

func (c checker) checkBody(at func(string) []string, r request) error {
	bodies := 0
	for _, given := range []bool{!r.Body.IsZero(), len(r.Form) > 0, !r.Text.IsZero()} {
		if given {
			bodies++
		}
	}
	switch {
	case bodies > 1:
		return c.fail(at("body"), "give one of body, form and text")
	case !r.Text.IsZero() && r.ContentType == "":
		return c.fail(at("text"), "text needs a content_type")
	case r.ContentType != "" && bodies == 0:
		return c.fail(at("content_type"), "there is a content_type, and no body, form or text")
	case !isFieldValue(r.ContentType):
		return c.fail(at("content_type"), "content_type is no header's value")
	default:
		return nil
	}
}

// fieldClasses says which settings belong to which classes.
var fieldClasses = map[string][]plan.DeliveryClass{
	"key":         {plan.Keyed},
	"in_progress": {plan.Keyed},
	"key_reused":  {plan.Keyed},
	"if_match":    {plan.Conditional},
	"create_only": {plan.Conditional},
	"read_back":   {plan.Conditional},
	"lookup":      {plan.Keyed, plan.Lookup},
}

func (c checker) checkFitsClass() error {
	for _, name := range slices.Sorted(maps.Keys(fieldClasses)) {
		if c.given(name) && !slices.Contains(fieldClasses[name], c.spec.Class) {
			return c.fail([]string{name}, "%s belongs to a tool of class %v, and this one is of class %s", name, fieldClasses[name], c.spec.Class)
		}
	}
	return nil
}

func (c checker) checkClass() error {
	switch c.spec.Class {
	case plan.Keyed:
		return c.checkKeyed()
	case plan.Conditional:
		return c.checkConditional()
	case plan.Lookup:
		if c.settings.Lookup == nil {
			return c.fail(nil, "class lookup needs a lookup: how is the effect found?")
		}
	default:
	}
	return nil
}

func (c checker) checkKeyed() error {
	k := c.settings.Key
	switch {
	case k.Style != styleStructured && k.Style != styleBare:
		return c.fail([]string{"key", "style"}, "key.style is %s or %s", styleStructured, styleBare)
	case k.Header == noHeader && !c.mentions(nil, "key"):
		return c.fail([]string{"key", "header"}, "nothing carries the key: write {{key}} into url, headers or body")
	case k.Header != noHeader && !isToken(k.Header):
		return c.fail([]string{"key", "header"}, "key.header is no name of a header")
	default:
		return nil
	}
}

func (c checker) checkConditional() error {
	s := c.settings
	switch {
	case s.IfMatch == nil && s.CreateOnly == nil:
		return c.fail(nil, "class conditional needs if_match, create_only, or both")
	case s.ReadBack == nil:
		return c.fail(nil, "class conditional needs read_back: after a refusal, whose effect is there?")
	case s.CreateOnly != nil && !s.CreateOnly.sendsHeader() && !s.CreateOnly.Exists.given():
		return c.fail([]string{"create_only"}, "create_only without its header needs exists: which answer says that it exists already?")
	case s.IfMatch != nil && !s.IfMatch.sendsHeader() && !c.mentions(nil, "precondition"):
		return c.fail([]string{"if_match", "header"}, "nothing carries the precondition: write {{precondition}} into url, headers or body")
	case !s.ReadBack.Ours.given() || !s.ReadBack.Receipt.Ref.given():
		return c.fail([]string{"read_back"}, "read_back needs ours and receipt.ref")
	default:
		return nil
	}
}
