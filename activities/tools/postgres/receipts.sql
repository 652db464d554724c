-- The receipts of Holdpoint's tools of kind `postgres`: one row for each effect
-- that they made in this database, committed together with it. Run it once in
-- the target database, as a role that may create tables:
--
--     psql "$DSN" --single-transaction -v ON_ERROR_STOP=1 -f receipts.sql
--
-- It may be run again. The tools' role needs SELECT, INSERT and UPDATE.
CREATE TABLE IF NOT EXISTS holdpoint_receipts (
    idempotency_key text        PRIMARY KEY,
    fingerprint     text        NOT NULL, -- SHA-256 of the action's canonical parameters
    tool            text        NOT NULL,
    target          text        NOT NULL,
    run_id          text        NOT NULL,
    action_id       text        NOT NULL,
    plan_hash       text        NOT NULL,
    approver        text        NOT NULL,
    ref             text        NOT NULL, -- the effect's own id, e.g. a row's
    detail          text        NOT NULL,
    made_at         timestamptz NOT NULL
);
