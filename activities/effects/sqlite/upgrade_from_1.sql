-- From version 1 of the ledger to version 2.
ALTER TABLE effects ADD COLUMN sent_at TEXT NOT NULL DEFAULT '';
ALTER TABLE effects ADD COLUMN quiet_until TEXT CHECK (quiet_until IS NULL OR state = 'STARTED');
UPDATE effects SET sent_at = created_at;
PRAGMA user_version = 2;
