-- The effect ledger, from version 3 to version 4: under which declaration of the
-- tool the calls were made. Of the rows that are there it is not known.
ALTER TABLE effects RENAME TO effects_3;
CREATE TABLE effects (
    key         TEXT    NOT NULL PRIMARY KEY,
    tenant      TEXT    NOT NULL,
    run_id      TEXT    NOT NULL,
    action_id   TEXT    NOT NULL,
    tool        TEXT    NOT NULL,
    target      TEXT    NOT NULL,
    fingerprint TEXT    NOT NULL,
    declaration TEXT,
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
INSERT INTO effects
    SELECT key, tenant, run_id, action_id, tool, target, fingerprint, NULL, state, attempt, token, lease_owner, lease_until,
        sent_at, quiet_until, receipt, reason, created_at, updated_at
    FROM effects_3;
DROP TABLE effects_3;
PRAGMA user_version = 4;
