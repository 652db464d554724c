// Package signature signs and verifies the statements that people approve
// with, in the format of ssh-keygen -Y (OpenSSH PROTOCOL.sshsig), under the
// namespace "holdpoint". It reads allowed_signers files (ssh-keygen(1), ALLOWED
// SIGNERS). It is pure: no I/O, no clock.
//
// What it takes, ssh-keygen -Y verify takes too, but for three things: names
// are compared in lower case, a date without Z is in UTC, and the lines of a
// signature may end in CR LF (OpenSSH before 9.5 wants LF). It is stricter than
// ssh-keygen where a key would be worth less than it seems:
//
//   - a line that cannot be read is an error, not a key that is quietly missing
//   - DSA keys and RSA keys under 2048 bits are errors
//   - certificates and their authorities are listed as skipped and never verify
//   - a security key (sk-…) must have been touched for the signature
//   - after the signature's last line nothing may follow
package signature
