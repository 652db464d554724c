-- The effect ledger, version 3. Times are UTC, in the one form that sorts as
-- text: 2026-12-01T09:30:00.000Z.
CREATE TABLE effects (
    key         TEXT    NOT NULL PRIMARY KEY,
    tenant      TEXT    NOT NULL,
    run_id      TEXT    NOT NULL,
    action_id   TEXT    NOT NULL,
    tool        TEXT    NOT NULL,
    target      TEXT    NOT NULL,
    fingerprint TEXT    NOT NULL,
    state       TEXT    NOT NULL CHECK (state IN ('STARTED', 'COMPLETED', 'RELEASED')),
    attempt     INTEGER NOT NULL,
    token       INTEGER NOT NULL CHECK (token > 0),
    lease_owner TEXT    NOT NULL,
    lease_until TEXT    CHECK (lease_until IS NULL OR state = 'STARTED'),
    sent_at     TEXT    NOT NULL,
    quiet_until TEXT    CHECK (quiet_until IS NULL OR state = 'STARTED'),
    receipt     TEXT    CHECK ((receipt IS NOT NULL) = (state = 'COMPLETED')),
    reason      TEXT    NOT NULL,
    created_at  TEXT    NOT NULL,
    updated_at  TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- Which ledger this is: made by chance with the first file, and moved with its
-- rows.
CREATE TABLE ledger (
    one      INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    identity TEXT    NOT NULL CHECK (identity <> '')
) STRICT;
INSERT INTO ledger VALUES (1, lower(hex(randomblob(16))));

PRAGMA application_id = 1215261796;
PRAGMA user_version = 3;
