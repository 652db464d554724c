// Package devserver runs Temporal's development server, `temporal server
// start-dev`, as a child process on free ports of the loopback interface: for
// `make demo`, and for the tests that need a real server.
//
// A server that [Start] returns is ready: its listener belongs to the process
// that was started (a health check alone would pass against a stranger's
// server on the same port), its namespace answers, and its search attributes
// can be used. It stops when it is told to, and on Linux also when this process
// is killed.
//
// The development server has no access control at all, so it is never bound to
// anything but 127.0.0.1.
package devserver
