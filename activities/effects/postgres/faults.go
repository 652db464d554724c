package postgres

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
)

// named gives an error of the database its class: trying again may help,
// unless the table is damaged or gone. doubt says that a change may have been
// made all the same. The caller's own context, and ErrNotHeld, stay as they
// are.
func (l *Ledger) named(ctx context.Context, err error, doubt bool) error {
	switch {
	case err == nil, errors.Is(err, effects.ErrNotHeld):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	f := name(l.host, err)
	if doubt && f.Class == faults.Transient {
		f.Class = faults.Unknown
		f.Reason += "; whether it has made the last change is not known"
	}
	return f
}

// name is named for an error that came before anything could be changed. Of
// the server's own words only the code is kept: they can quote what was sent.
func name(host string, err error) *faults.Fault {
	if f, ok := errors.AsType[*faults.Fault](err); ok {
		return f
	}
	answer, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return &faults.Fault{Class: faults.Transient, Code: effects.CodeUnavailable, Waits: true, Cause: err,
			Reason: "the effect ledger on " + host + " did not answer"}
	}
	f := &faults.Fault{Class: faults.Transient, Code: effects.CodeUnavailable, Waits: true, Cause: err}
	what := "refused to serve"
	switch {
	case answer.Code == "42P01", answer.Code == "42703", strings.HasPrefix(answer.Code, "XX"):
		f.Class, f.Code, what = faults.Permanent, codeCorrupt, "has a table that is damaged, or gone"
	case strings.HasPrefix(answer.Code, "22"):
		f.Class, f.Code, what = faults.Permanent, codeBadClaim, "cannot keep what it was given"
	case strings.HasPrefix(answer.Code, "28"):
		what = "refused the login"
	}
	f.Reason = "the effect ledger on " + host + " " + what + " (SQLSTATE " + answer.Code + ")"
	return f
}

const (
	// codeCorrupt says that the ledger's content can no longer be read. Only a
	// person can mend it.
	codeCorrupt = "ledger_corrupt"
	// codeBadClaim says that the caller's values cannot be kept.
	codeBadClaim = "bad_claim"
)

func unreadable(key string, err error) error {
	return &faults.Fault{
		Class: faults.Permanent, Code: codeCorrupt,
		Reason: "the effect ledger's row of key " + key + " cannot be read", Cause: err,
	}
}

// asRefusal says what a ledger without an identity is. Somebody has emptied its
// table.
func asRefusal(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return &faults.Fault{Class: faults.Permanent, Code: codeCorrupt, Reason: "the effect ledger's table holdpoint_ledger is empty", Cause: err}
	}
	return err
}

func refusal(reason string) error {
	return &faults.Fault{Class: faults.Permanent, Code: "ledger_refused", Reason: reason}
}
