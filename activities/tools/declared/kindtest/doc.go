// Package kindtest is what every kind of declared tool must pass, against its
// real target: one effect for each approved action, whichever way its first
// attempt is broken off, or a stop that leaves the question to a person where
// nobody can deduplicate. Effects are counted at the target.
//
// A kind's test opens its target, puts a [Link] before it when there is a
// network between, and calls [Matrix] once for each delivery class it keeps.
// The matrix spends most of its time waiting: run the classes in parallel.
package kindtest
