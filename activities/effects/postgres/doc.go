// Package postgres keeps the effect ledger in one table of a PostgreSQL
// database, for workers on any number of machines. It is tested with version 15.
//
// Every write is on the database's disk before its call returns. Time is the
// database's clock.
//
// # When the database goes away
//
// A COMMIT whose answer is lost has happened or not. Each call writes an id of
// its own into the row that it changes. When its connection breaks, it
// connects again, for a few seconds, and looks at the row under the same lock:
// with its own id there, the change was made, and what it had decided is its
// answer; with another one, it decides anew. So a claim is never handed out
// twice, and a receipt is never refused because it is there already.
//
// If the database stays away, the call ends with an error. Of class Transient
// it says that nothing was changed; of class Unknown, that the change may have
// been made. A claim whose Begin ended so is nobody's: its lease runs out, and
// the next Begin recovers.
package postgres
