// Package sqlite keeps the effect ledger in one SQLite file, for any number of
// processes on one machine. The file must lie on a local disk: SQLite's locks
// do not hold across a network file system.
//
// Every write is on the disk before its call returns. Every process takes the
// time from the same clock, the machine's, through the database. A step of
// that clock lengthens or shortens the leases that run at that moment; the
// fencing token does not depend on it.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	_ "modernc.org/sqlite" // the driver
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
)

//go:embed schema.sql
var schema string

// upgradeFrom1 adds when the first call was made and until when one may be
// under way.
//
//go:embed upgrade_from_1.sql
var upgradeFrom1 string

// upgradeFrom2 adds the ledger's identity.
//
//go:embed upgrade_from_2.sql
var upgradeFrom2 string

// upgradeFrom3 adds the declaration under which the calls were made.
//
//go:embed upgrade_from_3.sql
var upgradeFrom3 string

// What schema.sql writes into the file's header.
const (
	applicationID = 0x486f6c64 // "Hold"
	schemaVersion = 4
)

const (
	// busyTimeout is how long a call waits for other processes.
	busyTimeout = 5 * time.Second
	// busyPause is for the one statement that SQLite does not wait for.
	busyPause = 10 * time.Millisecond
)

// Ledger is an effects.Ledger in a SQLite file.
type Ledger struct {
	db   *sql.DB
	path string
	file os.FileInfo // of what was opened there
}

// Open opens the ledger file at path. A missing file is made, readable and
// writable by its owner only, and so is its folder. A file of an older version
// is brought to this one's schema. A file that another program made is refused,
// and so is one that a newer version of this program made.
func Open(ctx context.Context, path string) (*Ledger, error) {
	return open(ctx, path, busyTimeout)
}

// open is Open for one that waits so long for other processes.
func open(ctx context.Context, path string, wait time.Duration) (*Ledger, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("effect ledger: %w", err)
	}
	if err := create(path); err != nil {
		return nil, fmt.Errorf("effect ledger: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path, wait))
	if err != nil {
		return nil, fmt.Errorf("effect ledger %s: %w", path, err)
	}
	// One connection: SQLite has one writer at a time, and within a process
	// waiting in a queue is fairer and quicker than polling for the file's lock.
	db.SetMaxOpenConns(1)
	l := &Ledger{db: db, path: path}
	l.file, err = os.Stat(path) // before SQLite opens it, so that the two are one or it is found out
	if err == nil {
		err = l.useWAL(ctx, wait)
	}
	if err == nil {
		err = l.prepare(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("effect ledger %s: %w", path, err), db.Close())
	}
	return l, nil
}

// present reports a file that is no longer the one at its path. SQLite goes on
// with a file that was removed or replaced, and what it would write there is
// gone with the process.
func (l *Ledger) present() error {
	now, err := os.Stat(l.path)
	if err == nil && os.SameFile(l.file, now) {
		return nil
	}
	return &faults.Fault{
		Class: faults.Transient, Code: effects.CodeOtherLedger, Cause: err,
		Reason: "the effect ledger's file was removed or replaced under this worker: nothing is sent; " +
			"put the file back, or restart the worker with the right one (docs/ledger.md)",
	}
}

// Close closes the file. Calls under way end first.
func (l *Ledger) Close() error { return l.db.Close() }

// create makes a missing file, so that SQLite does not make it with wider
// permissions. It never opens an existing one: closing that would drop the
// locks that this process already has on it.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn names the file and how a connection to it behaves. _txlock makes every
// transaction take the write lock when it begins, so that none has to be
// upgraded and refused half-way.
func dsn(path string, wait time.Duration) string {
	settings := url.Values{
		"_busy_timeout": {strconv.FormatInt(wait.Milliseconds(), 10)},
		"_synchronous":  {"FULL"},
		"_txlock":       {"immediate"},
		"_dqs":          {"false"},
		// A later connection must not make a file that is missing.
		"mode": {"rw"},
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: settings.Encode()}
	return u.String()
}

// useWAL sets the file's journal mode, which it keeps. SQLite refuses the
// change at once, busy timeout or not, while another process is at work on the
// file, for example because it makes the same change.
func (l *Ledger) useWAL(ctx context.Context, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		_, err := l.db.ExecContext(ctx, `PRAGMA journal_mode = WAL`)
		if primaryCode(err) != sqlite3.SQLITE_BUSY {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(busyPause):
		}
	}
}

// prepare brings a new file and an old one to the schema.
func (l *Ledger) prepare(ctx context.Context) error {
	return l.write(ctx, func(tx *sql.Tx) error {
		var application, version, tables int
		err := tx.QueryRowContext(ctx, `SELECT
			(SELECT application_id FROM pragma_application_id),
			(SELECT user_version FROM pragma_user_version),
			(SELECT count(*) FROM sqlite_schema)`).Scan(&application, &version, &tables)
		switch {
		case err != nil:
			return err
		case application == 0 && version == 0 && tables == 0:
			_, err = tx.ExecContext(ctx, schema)
			return err
		case application != applicationID || version < 1:
			return refusal("the file belongs to another program")
		case version > schemaVersion:
			return refusal(fmt.Sprintf("the file has schema version %d, and this program knows versions up to %d; use a newer one",
				version, schemaVersion))
		default:
			return upgrade(ctx, tx, version)
		}
	})
}

// upgrade brings a file from a version to the present one, step by step.
func upgrade(ctx context.Context, tx *sql.Tx, from int) error {
	for _, step := range []string{upgradeFrom1, upgradeFrom2, upgradeFrom3}[from-1:] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

func refusal(reason string) error {
	return &faults.Fault{Class: faults.Permanent, Code: "ledger_refused", Reason: reason}
}
