// Package mediawiki runs a real MediaWiki, as Debian packages it, as a target
// for tests and rehearsals: a wiki of its own with a SQLite file, that anybody
// on this machine may edit without an account, on a free port of the loopback
// interface, and gone at the end with all its pages.
//
// Merging is off in it ($wgDiff3). By default MediaWiki merges an edit of an
// old revision into the newest one when diff3 can, so that the text that is
// saved is one that nobody has seen; with it off, such an edit is refused as
// an edit conflict, and baserevid is a true compare-and-set.
//
// [Launch] is for programs, [Start] for tests.
package mediawiki
