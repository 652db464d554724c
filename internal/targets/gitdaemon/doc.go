// Package gitdaemon serves Git repositories over the network for tests and
// rehearsals: Git's own daemon (git-daemon(1)), on the loopback interface only,
// open to everyone for reading and writing, killed and started again at will.
//
// [Launch] is for programs. [Start] is for tests: it skips a test when the
// machine has no git daemon, and fails it when the environment says CI=true.
package gitdaemon
