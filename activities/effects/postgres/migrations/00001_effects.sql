-- +goose Up
-- The effect ledger. Times are the database's own.
CREATE TABLE holdpoint_effects (
    key         text        NOT NULL PRIMARY KEY,
    tenant      text        NOT NULL,
    run_id      text        NOT NULL,
    action_id   text        NOT NULL,
    tool        text        NOT NULL,
    target      text        NOT NULL,
    fingerprint text        NOT NULL,
    state       text        NOT NULL CHECK (state IN ('STARTED', 'COMPLETED', 'RELEASED')),
    attempt     bigint      NOT NULL,
    token       bigint      NOT NULL CHECK (token > 0),
    lease_owner text        NOT NULL,
    lease_until timestamptz CHECK (lease_until IS NULL OR state = 'STARTED'),
    sent_at     timestamptz NOT NULL,
    quiet_until timestamptz CHECK (quiet_until IS NULL OR state = 'STARTED'),
    receipt     json        CHECK ((receipt IS NOT NULL) = (state = 'COMPLETED')),
    reason      text        NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    change_id   text        NOT NULL
) WITH (fillfactor = 70); -- a row changes at least once: room for it on its own page

COMMENT ON TABLE holdpoint_effects IS 'Holdpoint''s record of effects, one row an idempotency key. It outlives every run: do not empty it.';
COMMENT ON COLUMN holdpoint_effects.change_id IS 'Names the call that wrote the row last, so that one whose COMMIT got no answer recognises its own change.';
