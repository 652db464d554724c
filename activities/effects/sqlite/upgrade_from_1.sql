-- The effect ledger, from version 1 to version 2: when the first call was made,
-- and until when one may be under way. Of a claim without an end neither was
-- kept. Its key's first claim is surely not later than its first call; and no
-- attempt of that version went on for ten minutes after it last wrote.
ALTER TABLE effects RENAME TO effects_1;
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
INSERT INTO effects
    SELECT key, tenant, run_id, action_id, tool, target, fingerprint, state, attempt, token, lease_owner, lease_until,
        created_at, iif(state = 'STARTED', strftime('%Y-%m-%dT%H:%M:%fZ', updated_at, '+10 minutes'), NULL),
        receipt, reason, created_at, updated_at
    FROM effects_1;
DROP TABLE effects_1;
PRAGMA user_version = 2;
