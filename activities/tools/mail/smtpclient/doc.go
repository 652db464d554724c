// Package smtpclient hands mails to a mail server (RFC 5321). SMTP has no way
// to ask whether a mail was taken, and a server that takes one twice sends it
// twice. RFC 1047 describes the window: between the dot that ends a message and
// the server's answer to it, server and client may think differently of who has
// the mail. So what an error of [Server.Send] means depends on how far the
// conversation has come:
//
//	until the final dot has left this machine     the server must not send the mail (RFC 5321,
//	                                              sections 3.8 and 4.1.1.4): Transient or Permanent
//	a 4yz or 5yz reply to the final dot           the server refused it (sections 4.2.1 and 6.1):
//	                                              Transient or Permanent
//	the final dot, and no complete reply to it    Unknown, with [faults.CodeOutcomeUnknown]: nothing
//	                                              here can find out
//
// Each mail has a connection of its own, and nothing is sent twice. What is
// sent again is the caller's to decide.
package smtpclient
