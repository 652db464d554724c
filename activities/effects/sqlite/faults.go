package sqlite

import (
	"context"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
)

// named gives an error of the database its class: trying again may help,
// unless the file is not a database any more. The caller's own context, and
// ErrNotHeld, stay as they are.
func named(ctx context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, effects.ErrNotHeld), errors.As(err, new(*faults.Fault)):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	f := &faults.Fault{
		Class: faults.Transient, Code: effects.CodeUnavailable, Waits: true,
		Reason: "the effect ledger did not answer", Cause: err,
	}
	switch code := primaryCode(err); code {
	case sqlite3.SQLITE_OK:
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		f.Class, f.Code = faults.Permanent, codeCorrupt
		fallthrough
	default:
		f.Reason = "the effect ledger: " + sqlite.ErrorCodeString[code]
	}
	return f
}

// primaryCode is SQLite's result code without its extension, and SQLITE_OK
// when err is not SQLite's.
func primaryCode(err error) int {
	refused, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return sqlite3.SQLITE_OK
	}
	return refused.Code() & 0xff
}

// codeCorrupt says that the ledger's content can no longer be read. Only a
// person can mend it.
const codeCorrupt = "ledger_corrupt"

func unreadable(key string, err error) error {
	return &faults.Fault{
		Class: faults.Permanent, Code: codeCorrupt,
		Reason: "the effect ledger's row of key " + key + " cannot be read", Cause: err,
	}
}
