-- The effect ledger, from version 2 to version 3: which ledger it is.
CREATE TABLE ledger (
    one      INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    identity TEXT    NOT NULL CHECK (identity <> '')
) STRICT;
INSERT INTO ledger VALUES (1, lower(hex(randomblob(16))));
PRAGMA user_version = 3;
