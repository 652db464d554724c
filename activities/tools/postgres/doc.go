// Package postgres is the kind `postgres`: tools that run one parameterised
// statement in a PostgreSQL database.
//
// # How a second effect is kept out
//
// The class is transactional. The statement and its receipt, a row in the
// table holdpoint_receipts of the same database, commit together:
//
//	BEGIN
//	INSERT INTO holdpoint_receipts (key, fingerprint, …) ON CONFLICT DO NOTHING
//	the precondition's query, when there is one
//	the statement
//	UPDATE holdpoint_receipts: ref, detail, time
//	COMMIT
//
// A row that is there already proves nothing by itself: its fingerprint is
// compared. The same one means that an earlier call made the effect, and its
// stored receipt is the answer; another one is a conflict. An earlier call that
// has not ended holds the row, and the INSERT waits for it.
//
// # What is known after an error
//
// Nothing takes effect before COMMIT is sent, so every error before it says
// that this call surely had no effect. Once the INSERT has gone through, it
// also says so of every earlier call: one that had committed would have left
// its row, and one under way would have been waited for. None can come later
// either. [tools.Call.Allowed] is asked right before COMMIT, while the row is
// held, and it refuses a caller whose claim was taken over; a session that
// falls silent after it is ended by the server's
// idle_in_transaction_session_timeout.
//
// A COMMIT without an answer is unknown. The next call finds the row, or does
// not.
package postgres
