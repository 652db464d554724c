// Package gitea runs a real Gitea as a target for tests and rehearsals: built
// from source by `make tools`, with a PostgreSQL database of its own, on a free
// port of the loopback interface, and gone at the end with all its
// repositories. It has one account, and the web pages' scripts and styles are
// missing: they are no part of the Go module, and its API needs none.
//
// [Launch] is for programs, [Start] for tests.
package gitea
