package httpapi

import (
	"context"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// sender makes the effects of one declared tool.
type sender struct {
	settings

	spec   tools.Spec
	client *client
}

var (
	_ declared.Sender   = (*sender)(nil)
	_ declared.Replacer = (*sender)(nil)
)

// Replaces implements declared.Replacer: a write that is made for what is there
// takes its place.
func (s *sender) Replaces() bool { return s.spec.Class == plan.Conditional && s.IfMatch != nil }

// Prepare implements declared.Sender. It shows the request as it will be sent,
// with references in the place of secrets.
func (s *sender) Prepare(ctx context.Context, r declared.Request) (declared.Prepared, error) {
	v, before := r.Vars, ""
	if s.IfMatch != nil {
		var err error
		if v.Precondition, before, err = s.state(ctx, v); err != nil {
			return declared.Prepared{}, err
		}
	}
	out, err := s.write(v, hidden, true)
	if err != nil {
		return declared.Prepared{}, err
	}
	return declared.Prepared{Precondition: v.Precondition, Preview: preview(out, before)}, nil
}

// Apply implements declared.Sender: one request, and what its answer means.
func (s *sender) Apply(ctx context.Context, r declared.Request) (declared.Effect, error) {
	out, err := s.write(r.Vars, revealed, false)
	if err != nil {
		return declared.Effect{}, err
	}
	a, failed := s.client.send(ctx, out)
	if failed != nil {
		return declared.Effect{}, failed.Fault(wording)
	}
	return s.judge(ctx, r, a)
}

// Count implements declared.Sender.
func (s *sender) Count(ctx context.Context, r declared.Request) (int, error) {
	switch {
	case s.settings.Count != nil:
		a, err := s.read(ctx, s.settings.Count.Read, r.Vars)
		if err != nil {
			return 0, err
		}
		n, err := s.settings.Count.Value.number(r.Vars, a)
		if err != nil {
			return 0, a.unjudged(faults.Permanent, err)
		}
		return n, nil
	case s.Lookup != nil:
		return s.countFound(ctx, r)
	case s.ReadBack != nil:
		return s.countOurs(ctx, r)
	default:
		return -1, nil
	}
}

// Close implements declared.Sender. Nothing is kept between two calls.
func (s *sender) Close() error { return nil }

// write is the request of the effect, with the header by which the target
// keeps a second one away.
func (s *sender) write(v template.Vars, reveal revealer, show bool) (*outgoing, error) {
	out, err := s.Write.fill(filling{vars: v, auth: s.Write.Auth, limit: s.MaxRequestBytes, reveal: reveal, showOnly: show})
	if err != nil {
		return nil, err
	}
	var name, value string
	switch s.spec.Class {
	case plan.Keyed:
		name, value = s.Key.carry(v.Key)
	case plan.Conditional:
		name, value = s.guard(v.Precondition)
	default:
	}
	if name == "" {
		return out, nil
	}
	if err := out.set(name, value); err != nil {
		return nil, badRequest("%s", err)
	}
	return out, nil
}

// carry is the header that carries a key; "" when none does.
func (k keySettings) carry(key string) (name, value string) {
	switch {
	case k.Header == noHeader:
		return "", ""
	case k.Style == styleBare:
		return k.Header, key
	default: // a String of RFC 9651, 3.3.3
		return k.Header, `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
	}
}

// maxRedirects of one read request.
const maxRedirects = 5

// read makes a request that writes nothing, and returns an answer whose status
// can be judged.
func (s *sender) read(ctx context.Context, r read, v template.Vars) (*answer, error) {
	credentials := r.Request.Auth
	if !credentials.given() && sameOrigin(r.Request.URL.base, s.Write.URL.base) {
		credentials = s.Write.Auth
	}
	out, err := r.Request.fill(filling{vars: v, auth: credentials, limit: s.MaxRequestBytes, reveal: revealed})
	if err != nil {
		return nil, err
	}
	for range maxRedirects + 1 {
		a, failed := s.client.send(ctx, out)
		if failed != nil {
			return nil, unread(failed)
		}
		if slices.Contains(r.Statuses, a.status) {
			return a, nil
		}
		if next := out.follow(a); next != nil {
			out = next
			continue
		}
		return nil, a.unread()
	}
	return nil, &faults.Fault{Class: faults.Permanent, Code: "redirected", Reason: out.url.Host + ": a read request is redirected without end"}
}
