-- +goose Up
-- Which ledger this is: made by chance with the first table, and moved with its
-- rows.
CREATE TABLE holdpoint_ledger (
    one      boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (one),
    identity text    NOT NULL CHECK (identity <> '')
);
INSERT INTO holdpoint_ledger (identity) VALUES (replace(gen_random_uuid()::text, '-', ''));

COMMENT ON TABLE holdpoint_ledger IS 'Names the data of holdpoint_effects. Runs refuse a ledger of another name: it moves with the rows.';
