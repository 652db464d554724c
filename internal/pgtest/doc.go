// Package pgtest runs real PostgreSQL clusters for tests and rehearsals: made
// in a moment, listening on the loopback interface only, killed and started
// again at will, and gone at the end with all their data.
//
// [Launch] is for programs. [Start] and [Shared] are for tests: they skip a
// test when the machine has no PostgreSQL, and fail it when the environment
// says CI=true.
package pgtest
