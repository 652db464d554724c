package object

import (
	"context"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
)

// sender writes the objects of one declaration.
type sender struct {
	name     string // the tool's, for error texts
	settings settings
	store    store
}

var (
	_ declared.Sender   = (*sender)(nil)
	_ declared.Replacer = (*sender)(nil)
)

// Replaces implements declared.Replacer.
func (s *sender) Replaces() bool { return s.settings.Mode == replace }

// Prepare reads the object as it is, and says what will become of it. An
// object to be created must not be there, unless it is as wanted, or was written
// for these very parameters: then the ledger, or the store, has the receipt.
func (s *sender) Prepare(ctx context.Context, r declared.Request) (declared.Prepared, error) {
	w, err := s.write(r)
	if err != nil {
		return declared.Prepared{}, err
	}
	now, err := s.store.look(ctx, w)
	if err != nil {
		return declared.Prepared{}, err
	}
	switch there := now.state != absent; {
	case s.settings.Mode == replace && !there:
		return declared.Prepared{}, s.refuse("no_such_object", "there is no %s to replace", s.store.where(w.name))
	case s.settings.Mode == create && there && !now.asWanted && now.fingerprint != w.mark.fingerprint:
		return declared.Prepared{}, s.refuse("object_exists", "%s is there already, and mode is create", s.store.where(w.name))
	}
	prepared := declared.Prepared{Precondition: absent, Preview: preview(s.store.where(w.name), w, now)}
	if s.settings.Mode == replace {
		prepared.Precondition = now.state
	}
	return prepared, nil
}

// Apply writes the object, unless it has been written.
func (s *sender) Apply(ctx context.Context, r declared.Request) (declared.Effect, error) {
	w, err := s.write(r)
	if err != nil {
		return declared.Effect{}, err
	}
	switch precondition := r.Call.Action.Precondition; {
	case s.settings.Mode == create && precondition == absent:
		return s.store.create(ctx, w)
	case s.settings.Mode == replace && precondition != absent && precondition != "":
		return s.store.replace(ctx, w)
	default:
		return declared.Effect{}, s.refuse("declaration_changed", "its mode is not the one that the plan was made with; give the declaration another version")
	}
}

// Count implements declared.Sender.
func (s *sender) Count(ctx context.Context, r declared.Request) (int, error) {
	w, err := s.write(r)
	if err != nil {
		return 0, err
	}
	return s.store.count(ctx, w)
}

// Close implements declared.Sender.
func (s *sender) Close() error { return s.store.close() }

// write fills the templates in.
func (s *sender) write(r declared.Request) (write, error) {
	w := write{call: r.Call, contentType: s.settings.ContentType}
	var err error
	if w.name, err = objectName(s.settings.Name, r.Vars); err != nil {
		return write{}, s.refuse("bad_parameters", "%s", err)
	}
	if w.content, err = s.settings.content(r.Vars); err != nil {
		return write{}, s.refuse("bad_parameters", "%s", err)
	}
	if w.mark, err = markOf(r.Call); err != nil {
		return write{}, s.refuse("bad_parameters", "%s", err)
	}
	return w, nil
}

func (s *sender) refuse(code, format string, args ...any) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: "tool " + s.name + ": " + fmt.Sprintf(format, args...)}
}

// conflict is a key under which the store has other parameters.
func conflict(where string) error {
	return &faults.Fault{
		Class: faults.Permanent, Code: "key_conflict",
		Reason: where + " was written under the same idempotency key for other parameters",
	}
}

// drifted is an object that is not what the plan was made for. Nothing was
// written.
func drifted(where string) error {
	return &faults.Fault{
		Class: faults.Permanent, Code: "object_changed", Cause: tools.ErrDrift,
		Reason: where + " is not as it was when the plan was made; nothing was written",
	}
}

// unknown is an object that is not what the plan was made for, perhaps because
// an earlier attempt wrote it and somebody wrote it again. What it was in
// between nobody can tell any more.
func unknown(where string) error {
	return &faults.Fault{
		Class: faults.Unknown, Code: faults.CodeOutcomeUnknown,
		Reason: where + " was changed after an attempt of unknown outcome, so that nothing shows whether that one wrote it; a person must find out",
	}
}
